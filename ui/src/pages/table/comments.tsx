import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import type { Result, Task } from "../../api/client";
import {
  type Comment,
  type Member,
  useComments,
  useMembers,
  useResolve,
  useReviewMode,
  useSay,
} from "../../api/people";
import { useMayReview } from "../../api/reviews";
import type { Field } from "../../api/template";
import { Refusal } from "../../components/states";
import { moment, useLanguage } from "../../texts";

interface Props {
  task: Task;
  result: Result;
  field: Field;
  row: string;
}

/** What people say about a cell; a name behind an @ puts it on that person's list. */
export function Comments({ task, result, field, row }: Props) {
  const { texts } = useLanguage();
  const t = texts.people;
  const all = useComments(task.task_id);
  const mayReview = useMayReview(task.project_id);
  const isBlind = useReviewMode(task.project_id).data?.mode === "independent";
  const here = (all.data ?? []).filter(
    (one) => one.ordinal === result.ordinal && one.row === row && one.field === field.id,
  );
  if (!mayReview && here.length === 0) return null;
  return (
    <section className="comments" aria-label={t.comments}>
      <h3>{t.commentsOpen(here.filter((one) => one.resolved_at === null).length)}</h3>
      {here.length === 0 && <p className="dim">{t.noComments}</p>}
      <ol className="history">
        {here.map((one) => (
          <CommentLine key={one.comment_id} task={task} comment={one} mayReview={mayReview} />
        ))}
      </ol>
      {mayReview && (
        <Say key={`${result.ordinal} ${row} ${field.id}`} task={task} result={result} field={field} row={row} />
      )}
      {mayReview && isBlind && <p className="dim comments-blind">{t.blindComments}</p>}
    </section>
  );
}

function CommentLine({ task, comment, mayReview }: { task: Task; comment: Comment; mayReview: boolean }) {
  const { texts, language } = useLanguage();
  const t = texts.people;
  const resolve = useResolve(task.task_id);
  const isResolved = comment.resolved_at !== null;
  return (
    <li className={isResolved ? "comment-resolved" : undefined}>
      <div>
        <b>{comment.author}</b> <span className="dim">{moment(comment.made_at, language)}</span>
        <p className="plain" dir="auto">
          {comment.text}
        </p>
        {comment.resolved_by && <p className="dim plain">{t.resolvedBy(comment.resolved_by)}</p>}
        {mayReview && (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => resolve.mutate({ commentId: comment.comment_id, isResolved: !isResolved })}
          >
            {isResolved ? t.reopen : t.resolve}
          </Button>
        )}
      </div>
    </li>
  );
}

/** The members whose names stand behind an @. The longest name wins: @Ann Lee is not @Ann. */
export function mentioned(text: string, members: Member[]): number[] {
  const found = new Set<number>();
  const byLength = [...members].sort((one, other) => other.name.length - one.name.length);
  for (const part of text.split("@").slice(1)) {
    const member = byLength.find((one) => part.toLowerCase().startsWith(one.name.toLowerCase()));
    if (member) found.add(member.account_id);
  }
  return [...found];
}

function Say({ task, result, field, row }: Props) {
  const { texts } = useLanguage();
  const t = texts.people;
  const [text, setText] = useState("");
  const members = useMembers(task.project_id).data ?? [];
  const say = useSay(task.task_id, result.ordinal);
  const send = () => {
    if (!text.trim()) return;
    say.mutate(
      { field: field.id, row, text: text.trim(), mentions: mentioned(text, members) },
      { onSuccess: () => setText("") },
    );
  };
  // An @ at the end is the beginning of a name.
  const isNaming = /@[^\s@]*$/.test(text);
  const begun = text.slice(text.lastIndexOf("@") + 1).toLowerCase();
  return (
    <div className="comment-new">
      <Textarea
        size="xs"
        autosize
        minRows={1}
        maxRows={6}
        maxLength={2000}
        aria-label={t.say}
        placeholder={t.say}
        description={t.sayHow}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {isNaming && (
        <div className="comment-names">
          {members
            .filter((one) => one.name.toLowerCase().startsWith(begun))
            .map((one) => (
              <Button
                key={one.account_id}
                size="compact-xs"
                variant="light"
                onClick={() => setText(`${text.slice(0, text.lastIndexOf("@"))}@${one.name} `)}
              >
                @{one.name}
              </Button>
            ))}
        </div>
      )}
      <Refusal error={say.error} />
      <Button size="compact-xs" variant="default" disabled={!text.trim()} loading={say.isPending} onClick={send}>
        {t.send}
      </Button>
    </div>
  );
}
