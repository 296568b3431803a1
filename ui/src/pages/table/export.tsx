import { Alert, Button, Checkbox, CopyButton, SegmentedControl, Textarea } from "@mantine/core";
import { useState } from "react";
import { useAnalysis } from "../../api/analysis";
import { Link } from "react-router";
import { type Result, type Task, address } from "../../api/client";
import { sum } from "../../api/judge";
import type { Language } from "../../api/template";
import { Dialog } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { useLanguage, useTexts } from "../../texts";

const FORMATS = ["xlsx", "csv", "csv-tables", "json", "analysis", "revman", "ris", "eppi", "html"] as const;
const ENDINGS: Record<string, string> = { "csv-tables": "zip", analysis: "zip", revman: "zip", eppi: "json" };

interface Props {
  task: Task;
  results: Result[];
  isWhole: boolean;
}

/** A button, and behind it the files of a task, what is open in them, and a paragraph on how they were made. */
export function ExportMenu(props: Props) {
  const { texts, language } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const [isOnlyReviewed, setOnlyReviewed] = useState(false);
  const [chosen, setChosen] = useState<Language | null>(null);
  const exported = chosen ?? language;
  return (
    <>
      <Button size="xs" leftSection={<Icon name="download" />} onClick={() => setOpen(true)}>
        {texts.table.export}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={texts.exports.title} size="lg">
        <div className="form">
          <Notices {...props} />
          <div className="export-language">
            <span>{texts.exports.language}</span>
            <SegmentedControl
              size="xs"
              value={exported}
              onChange={setChosen}
              data={[
                { value: "en", label: "English" },
                { value: "zh", label: "中文" },
              ]}
            />
          </div>
          <Checkbox
            size="xs"
            label={texts.exports.onlyReviewed}
            checked={isOnlyReviewed}
            onChange={(event) => setOnlyReviewed(event.currentTarget.checked)}
          />
          <Formats taskId={props.task.task_id} language={exported} isOnlyReviewed={isOnlyReviewed} />
          <Link to={`/tasks/${props.task.task_id}/read-back`}>{texts.readBack.link}</Link>
          <Methods taskId={props.task.task_id} language={exported} isOnlyReviewed={isOnlyReviewed} />
        </div>
      </Dialog>
    </>
  );
}

/** What is unfinished, failed, unreviewed or unverified in what is exported. */
function Notices({ task, results, isWhole }: Props) {
  const t = useTexts().exports;
  const found = sum(results);
  const unfinished = task.counts.pending + task.counts.running;
  const unverified = found.reported - found.verified;
  const notices = [
    unfinished > 0 && t.unfinished(unfinished),
    task.counts.error > 0 && t.failed(task.counts.error),
    isWhole && found.unreviewed > 0 && t.unreviewed(found.unreviewed),
    isWhole && unverified > 0 && t.unverified(unverified),
  ].filter((one) => one !== false);
  if (notices.length === 0) return null;
  return (
    <Alert color="orange" icon={<Icon name="warning" />} p="xs" data-testid="unreviewed">
      {notices.map((one) => (
        <p key={one} className="plain">
          {one}
        </p>
      ))}
    </Alert>
  );
}

interface FormatsProps {
  taskId: number;
  language: Language;
  isOnlyReviewed: boolean;
}

function Formats({ taskId, language, isOnlyReviewed }: FormatsProps) {
  const texts = useTexts();
  const linkTo = (format: string) =>
    address(
      "/api/v1/extraction/tasks/{id}/export",
      { id: taskId },
      { format, language, only_reviewed: isOnlyReviewed ? "true" : undefined },
    );
  return (
    <ul className="formats">
      {FORMATS.map((format) => (
        <li key={format}>
          <a href={linkTo(format)} download>
            <Icon name="download" />
            <span>{texts.exports.formats[format]}</span>
            <code>{ENDINGS[format] ?? format}</code>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** What was done with the documents, for the methods of a paper: worked out by the server from what stands. */
function Methods({ taskId, language, isOnlyReviewed }: FormatsProps) {
  const texts = useTexts();
  const { data, isError } = useAnalysis(taskId, { isOnlyReviewed, language });
  const methods = data?.methods ?? "";
  return (
    <>
      <Textarea
        label={texts.exports.methods}
        description={texts.exports.methodsHow}
        value={isError ? texts.exports.noMethods : methods || texts.table.loadingRest}
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
              disabled={!methods}
              onClick={copy}
            >
              {copied ? texts.state.copied : texts.state.copy}
            </Button>
          )}
        </CopyButton>
      </div>
    </>
  );
}
