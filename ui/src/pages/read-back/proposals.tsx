import { Alert, Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { type Proposal, type ReadBack, useAcceptProposals } from "../../api/read-back";
import { Failed } from "../../components/states";
import { useTexts } from "../../texts";

/** Every change of the file beside what stands. A person takes those that are right, all together. */
export function Proposals({ found, taskId }: { found: ReadBack; taskId: number }) {
  const t = useTexts().readBack;
  const accept = useAcceptProposals(taskId);
  const [left, setLeft] = useState<ReadonlySet<Proposal>>(new Set());
  const chosen = found.proposals.filter((one) => !left.has(one));
  if (accept.data) {
    return (
      <Alert color="green">
        {t.done(accept.data.changed)} <Link to={`/tasks/${taskId}/analysis`}>{t.toAnalysis}</Link>
      </Alert>
    );
  }
  const toggle = (one: Proposal) => {
    const next = new Set(left);
    if (!next.delete(one)) next.add(one);
    setLeft(next);
  };
  return (
    <section className="part">
      <div className="pool-head">
        <h2>{t.proposals(found.proposals.length)}</h2>
        <Button
          size="xs"
          disabled={chosen.length === 0}
          loading={accept.isPending}
          onClick={() => accept.mutate({ fileName: found.file_name, proposals: chosen })}
        >
          {t.accept(chosen.length)}
        </Button>
      </div>
      {accept.isError && <Failed error={accept.error} again={accept.reset} />}
      <div className="card card-flush" role="region" aria-label={t.lead} tabIndex={0}>
        <table className="list">
          <thead>
            <tr>
              <th>{t.take}</th>
              <th>{t.document}</th>
              <th>{t.cell}</th>
              <th>{t.was}</th>
              <th>{t.becomes}</th>
              <th>{t.place}</th>
            </tr>
          </thead>
          <tbody>
            {found.proposals.map((one) => (
              <Line key={keyOf(one)} one={one} isChosen={!left.has(one)} onToggle={() => toggle(one)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface LineProps {
  one: Proposal;
  isChosen: boolean;
  onToggle: () => void;
}

function Line({ one, isChosen, onToggle }: LineProps) {
  const texts = useTexts();
  const { field, action, value } = one.proposed;
  const states: Record<string, string> = texts.state;
  const actions: Record<string, string> = texts.readBack.actions;
  return (
    <tr>
      <td>
        <Checkbox size="xs" checked={isChosen} onChange={onToggle} aria-label={`${one.file_name} ${field}`} />
      </td>
      <td>{one.file_name}</td>
      <td>
        {one.row_label} <code>{field}</code>
      </td>
      <td>
        <del>{shown(one.was) || actions[one.was_state ?? ""] || states[one.was_state ?? ""] || "–"}</del>
      </td>
      <td>
        <ins>{action === "edited" ? shown(value) : (actions[action] ?? action)}</ins>
      </td>
      <td className="dim">
        {one.sheet} {one.line}
      </td>
    </tr>
  );
}

const shown = (value: Proposal["was"] | undefined) => (Array.isArray(value) ? value.join("; ") : String(value ?? ""));
const keyOf = ({ proposed }: Proposal) => `${proposed.ordinal}~${proposed.row}~${proposed.field}`;
