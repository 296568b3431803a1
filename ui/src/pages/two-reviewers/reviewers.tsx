import { Button, NumberInput, Select } from "@mantine/core";
import { useState } from "react";
import { useParams } from "react-router";
import type { Result, Task } from "../../api/client";
import { type Member, useMembers, useMyRole, useReviewMode } from "../../api/people";
import { useTask } from "../../api/queries";
import { useResults } from "../../api/results";
import { type Assignment, useAssign, useAssignments } from "../../api/two-reviewers";
import { Failed, Loading, Refusal } from "../../components/states";
import { count, useTexts } from "../../texts";
import { ReviewPages } from "./review-pages";

/** Who looks at which document, and how far each is. */
export function ReviewersPage() {
  const t = useTexts().people;
  const task = useTask(Number(useParams().taskId));
  return (
    <div className="page">
      {task.data && <ReviewPages task={task.data} title={t.reviewers} />}
      <header className="page-head">
        <div>
          <h1>{t.reviewers}</h1>
          <p className="lead">{t.reviewersLead}</p>
        </div>
      </header>
      {task.isError && <Failed error={task.error} again={() => void task.refetch()} />}
      {task.data ? <Reviewers task={task.data} /> : !task.isError && <Loading lines={6} />}
    </div>
  );
}

function Reviewers({ task }: { task: Task }) {
  const members = useMembers(task.project_id);
  const assignments = useAssignments(task.task_id);
  const results = useResults(task);
  const mode = useReviewMode(task.project_id);
  const { isOwner } = useMyRole(task.project_id);
  const error = members.error ?? assignments.error ?? results.error ?? mode.error;
  if (error) return <Failed error={error} />;
  if (!members.data || !assignments.data || !results.data || !mode.data) return <Loading lines={6} />;
  const reviewers = members.data.filter((one) => one.role !== "reader");
  const sides = mode.data.mode === "single" ? [1] : [1, 2];
  return (
    <>
      {isOwner && <ShareOut task={task} reviewers={reviewers} />}
      <ByPerson assignments={assignments.data} />
      <ByDocument
        task={task}
        results={results.data.results}
        assignments={assignments.data}
        reviewers={reviewers}
        sides={sides}
        isOwner={isOwner}
      />
    </>
  );
}

// The share that everybody has at first: equal parts.
const EQUAL = 50;

function ShareOut({ task, reviewers }: { task: Task; reviewers: Member[] }) {
  const t = useTexts().people;
  const { share } = useAssign(task.task_id);
  const [given, setGiven] = useState<Record<number, number>>({});
  const shareOf = (one: Member) => given[one.account_id] ?? (one.role === "reviewer" ? EQUAL : 0);
  const people = reviewers.map((one) => ({ account_id: one.account_id, share: shareOf(one) }));
  return (
    <section className="card people-card" aria-label={t.share}>
      <h2>{t.share}</h2>
      <p className="dim">{t.shareLead}</p>
      <div className="people-line">
        {reviewers.map((one) => (
          <NumberInput
            key={one.account_id}
            size="xs"
            w={130}
            label={t.shareOf(one.name)}
            min={0}
            max={1000}
            allowDecimal={false}
            value={shareOf(one)}
            onChange={(value) => setGiven((old) => ({ ...old, [one.account_id]: Number(value) || 0 }))}
          />
        ))}
        <Button
          loading={share.isPending}
          disabled={people.every((one) => one.share === 0)}
          onClick={() => share.mutate(people)}
        >
          {t.shareGo}
        </Button>
      </div>
      {share.data && <p role="status">{t.shareDone(share.data.changed)}</p>}
      <Refusal error={share.error} />
    </section>
  );
}

function ByPerson({ assignments }: { assignments: Assignment[] }) {
  const t = useTexts().people;
  const names = [...new Set(assignments.map((one) => one.name))].sort();
  if (names.length === 0) return null;
  const sum = (name: string, of: (one: Assignment) => number) =>
    assignments.filter((one) => one.name === name).reduce((all, one) => all + of(one), 0);
  return (
    <div className="card card-flush agreement">
      <table className="list" aria-label={t.byPerson}>
        <thead>
          <tr>
            <th>{t.byPerson}</th>
            <th className="number">{t.documents}</th>
            <th className="number">{t.decided}</th>
            <th className="number">{t.waiting}</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <td>{name}</td>
              <td className="number">{count(sum(name, () => 1))}</td>
              <td className="number">{count(sum(name, (one) => one.cells))}</td>
              <td className="number">{count(sum(name, (one) => one.cells - one.paired))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface DocumentsProps {
  task: Task;
  results: Result[];
  assignments: Assignment[];
  reviewers: Member[];
  sides: number[];
  isOwner: boolean;
}

function ByDocument({ task, results, assignments, reviewers, sides, isOwner }: DocumentsProps) {
  const t = useTexts().people;
  const { assign } = useAssign(task.task_id);
  const data = [
    { value: "", label: t.nobody },
    ...reviewers.map((one) => ({ value: String(one.account_id), label: one.name })),
  ];
  return (
    <>
      <Refusal error={assign.error} />
      <div className="card card-flush agreement">
        <table className="list" aria-label={t.documents}>
          <thead>
            <tr>
              <th>{t.document}</th>
              {sides.map((side) => (
                <th key={side}>{t.side(side)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {results.map((result) => (
              <tr key={result.ordinal}>
                <td>{result.file_name}</td>
                {sides.map((side) => {
                  const held = assignments.find((one) => one.ordinal === result.ordinal && one.side === side);
                  return (
                    <td key={side}>
                      {isOwner ? (
                        <Select
                          size="xs"
                          className="role-select"
                          aria-label={`${t.side(side)}: ${result.file_name}`}
                          data={data}
                          value={String(held?.account_id ?? "")}
                          allowDeselect={false}
                          onChange={(value) =>
                            assign.mutate({
                              ordinals: [result.ordinal],
                              side,
                              account_id: value ? Number(value) : null,
                            })
                          }
                        />
                      ) : (
                        (held?.name ?? <span className="dim">{t.nobody}</span>)
                      )}
                      {held && <span className="dim role-how">{t.cells(held.cells)}</span>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
