import { NavLink } from "react-router";
import type { Task } from "../../api/client";
import { useReviewMode } from "../../api/people";
import { useConflicts } from "../../api/two-reviewers";
import { Steps } from "../../components/task";
import { useTexts } from "../../texts";

/** Where one is, and the pages of a review by two people beside each other. */
export function ReviewPages({ task, title }: { task: Task; title: string }) {
  return (
    <>
      <Steps projectId={task.project_id} taskId={task.task_id} title={title} />
      <ReviewLinks task={task} />
    </>
  );
}

/** The pages about who reviews; those about two people only where two review. */
export function ReviewLinks({ task }: { task: Task }) {
  const texts = useTexts();
  const t = texts.people;
  const mode = useReviewMode(task.project_id).data?.mode;
  const isIndependent = mode === "independent";
  const open = useConflicts(task.task_id, isIndependent).data?.length ?? 0;
  return (
    <nav className="review-links" aria-label={t.mode}>
      <NavLink to={`/tasks/${task.task_id}/queue`}>{texts.queue.title}</NavLink>
      <NavLink to={`/tasks/${task.task_id}/reviewers`}>{t.reviewers}</NavLink>
      {isIndependent && <NavLink to={`/tasks/${task.task_id}/conflicts`}>{t.conflictsOpen(open)}</NavLink>}
      {isIndependent && <NavLink to={`/tasks/${task.task_id}/agreement`}>{t.agreement}</NavLink>}
    </nav>
  );
}
