import { Checkbox, Radio } from "@mantine/core";
import { type ReviewMode, useChangeReviewMode, useReviewMode } from "../../api/people";
import { Failed, Loading, Refusal } from "../../components/states";
import { useTexts } from "../../texts";

const MODES = ["single", "checked", "independent"] as const;

/** How many people decide about each cell, and what they see of each other. */
export function ReviewModeCard({ projectId, isOwner }: { projectId: number; isOwner: boolean }) {
  const t = useTexts().people;
  const mode = useReviewMode(projectId);
  const change = useChangeReviewMode(projectId);
  // What was chosen is shown while it is on its way.
  const now = change.isPending ? change.variables : mode.data;
  const put = (part: Partial<ReviewMode>) => now && change.mutate({ ...now, ...part });
  return (
    <section className="card people-card" aria-label={t.mode}>
      <h2>{t.mode}</h2>
      {mode.isPending && <Loading lines={3} />}
      {mode.isError && <Failed error={mode.error} again={() => void mode.refetch()} />}
      {now && (
        <>
          <Radio.Group value={now.mode} onChange={(value) => put({ mode: value })}>
            <div className="people-modes">
              {MODES.map((one) => (
                <Radio
                  key={one}
                  value={one}
                  label={t.modes[one]}
                  description={t.modesHow[one]}
                  disabled={!isOwner || change.isPending}
                />
              ))}
            </div>
          </Radio.Group>
          {now.mode === "independent" && (
            <Checkbox
              label={t.showsExtractor}
              description={t.startsEmpty}
              checked={now.shows_extractor ?? true}
              disabled={!isOwner || change.isPending}
              onChange={(event) => put({ shows_extractor: event.currentTarget.checked })}
            />
          )}
          {!isOwner && <p className="dim">{t.modeOwner}</p>}
          <Refusal error={change.error} />
        </>
      )}
    </section>
  );
}
