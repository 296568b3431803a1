import { Alert, Button, CopyButton, SegmentedControl, Textarea } from "@mantine/core";
import { useState } from "react";
import { Dialog } from "../../components/dialog";
import { type Result, type Task, address } from "../../api/client";
import { sum } from "../../api/judge";
import { type Language, type Template, fieldsOf } from "../../api/template";
import { Icon } from "../../components/icon";
import { useLanguage } from "../../texts";

const FORMATS = ["xlsx", "csv", "csv-tables", "json", "html"] as const;

export function ExportMenu({
  task,
  template,
  results,
  isWhole,
}: {
  task: Task;
  template: Template;
  results: Result[];
  isWhole: boolean;
}) {
  const { texts, language } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<Language | null>(null);
  const speech = chosen ?? language;
  const found = sum(results);
  const unfinished = task.counts.pending + task.counts.running;
  const day = (at: string | null) => new Date(at ?? Date.now()).toISOString().slice(0, 10);
  const methods = texts.exports.text({
    documents: task.total,
    template: template.label[language],
    version: task.template_version,
    fields: fieldsOf(template).length,
    extractor: task.extractor,
    embedded: task.is_embedded,
    from: day(task.created_at),
    to: day(task.closed_at),
    reported: found.reported,
    verified: found.verified,
    unverified: found.reported - found.verified,
    failed: task.counts.error,
    answers: found.answers,
    reviewed: found.reviewed,
    accepted: found.accepted,
    edited: found.edited,
    refused: found.reviewed - found.accepted - found.edited,
  });
  const unverified = found.reported - found.verified;
  const notices = [
    unfinished > 0 && texts.exports.unfinished(unfinished),
    task.counts.error > 0 && texts.exports.failed(task.counts.error),
    isWhole && found.unreviewed > 0 && texts.exports.unreviewed(found.unreviewed),
    isWhole && unverified > 0 && texts.exports.unverified(unverified),
  ].filter((one) => one !== false);
  return (
    <>
      <Button size="xs" leftSection={<Icon name="download" />} onClick={() => setOpen(true)}>
        {texts.table.export}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={texts.exports.title} size="lg">
        <div className="form">
          {notices.length > 0 && (
            <Alert color="orange" icon={<Icon name="warning" />} p="xs" data-testid="unreviewed">
              {notices.map((one) => (
                <p key={one} className="plain">
                  {one}
                </p>
              ))}
            </Alert>
          )}
          <div className="export-language">
            <span>{texts.exports.language}</span>
            <SegmentedControl
              size="xs"
              value={speech}
              onChange={setChosen}
              data={[
                { value: "en", label: "English" },
                { value: "zh", label: "中文" },
              ]}
            />
          </div>
          <ul className="formats">
            {FORMATS.map((format) => (
              <li key={format}>
                <a
                  href={address(
                    "/api/v1/extraction/tasks/{id}/export",
                    { id: task.task_id },
                    { format, language: speech },
                  )}
                  download
                >
                  <Icon name="download" />
                  <span>{texts.exports.formats[format]}</span>
                  <code>{format === "csv-tables" ? "zip" : format}</code>
                </a>
              </li>
            ))}
          </ul>
          {/* Counted in what is loaded: before that is all, the numbers would be wrong. */}
          <Textarea
            label={texts.exports.methods}
            description={texts.exports.methodsHow}
            value={isWhole ? methods : texts.table.loadingRest}
            readOnly
            autosize
            minRows={4}
          />
          <div className="form-end">
            <CopyButton value={methods}>
              {({ copied, copy }) => (
                <Button
                  variant="default"
                  leftSection={<Icon name={copied ? "check" : "copy"} />}
                  disabled={!isWhole}
                  onClick={copy}
                >
                  {copied ? texts.state.copied : texts.state.copy}
                </Button>
              )}
            </CopyButton>
          </div>
        </div>
      </Dialog>
    </>
  );
}
