import { Button } from "@mantine/core";
import { useFlow } from "../../api/studies";
import { Icon } from "../../components/icon";
import { count, useLanguage } from "../../texts";
import { asPng, download } from "../analysis/picture";

/** The flow of the review, drawn, with what it begins with and what has no paper yet. */
export function FlowCard({ projectId }: { projectId: number }) {
  const { texts, language } = useLanguage();
  const t = texts.studies;
  const flow = useFlow(projectId, language).data;
  if (!flow || flow.sought + (flow.screened ?? 0) === 0) return null;
  return (
    <section className="card" aria-label={t.flow}>
      <h2>{t.flow}</h2>
      {flow.sources.length > 0 && (
        <ul className="sources">
          {flow.sources.map((one) => (
            <li key={one.source_id}>
              <b>{one.name}</b> {t.records(one.records)}{" "}
              <span className="dim">
                {t.sourceKinds[one.kind]} · {one.file_name} · {one.imported_by}
                {one.unreadable.length > 0 && ` · ${t.unreadable(count(one.unreadable.length))}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {flow.without_file.length > 0 && <p className="plain">{t.withoutFile(flow.without_file.length)}</p>}
      {flow.without_record.length > 0 && <p className="plain">{t.withoutRecord(flow.without_record.length)}</p>}
      <figure className="drawing">
        {/* Made by our own server, which writes every text of it as text. */}
        <div
          // oxlint-disable-next-line react/no-danger
          dangerouslySetInnerHTML={{ __html: flow.drawing }}
        />
        <figcaption>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => download("flow.svg", flow.drawing, "image/svg+xml")}
          >
            <Icon name="download" size={12} /> SVG
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => void asPng(flow.drawing, "flow.png")}>
            <Icon name="download" size={12} /> PNG
          </Button>
        </figcaption>
      </figure>
    </section>
  );
}
