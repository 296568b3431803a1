import { Button, FileInput, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { type Imported, type SourceKind, useImportReferences } from "../../api/studies";
import { Dialog } from "../../components/dialog";
import { Refusal } from "../../components/states";
import { count, useTexts } from "../../texts";

// Lines of what could not be read that are shown; more push the button off the screen.
const SEEN = 8;

/** A file of references comes in: from which search, and afterwards what could not be read of it. */
export function ImportReferences({
  projectId,
  isOpen,
  close,
}: {
  projectId: number;
  isOpen: boolean;
  close: () => void;
}) {
  const texts = useTexts();
  const t = texts.studies;
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState("");
  const [kind, setKind] = useState<SourceKind>("database");
  const send = useImportReferences(projectId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The file leaves the form, so that nobody takes it in twice.
    if (file) send.mutate({ file, name: name.trim(), kind }, { onSuccess: () => setFile(null) });
  };
  return (
    <Dialog opened={isOpen} onClose={close} title={t.import} size="lg">
      <form className="form" onSubmit={submit}>
        <FileInput label={t.file} description={t.formats} value={file} onChange={setFile} placeholder={t.chooseFile} />
        <TextInput
          label={t.source}
          placeholder={t.sourceExample}
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label={t.sourceKind}
          allowDeselect={false}
          data={(["database", "register", "other"] as const).map((value) => ({ value, label: t.sourceKinds[value] }))}
          value={kind}
          onChange={(value) => value && setKind(value)}
        />
        <Refusal error={send.error} />
        {send.imported && <Summary imported={send.imported} />}
        <div className="form-end">
          <Button variant="default" onClick={close}>
            {texts.state.close}
          </Button>
          <Button type="submit" disabled={!file} loading={send.isPending}>
            {t.importNow}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Summary({ imported }: { imported: Imported }) {
  const texts = useTexts();
  const t = texts.studies;
  return (
    <div className="import-summary" role="status">
      <p className="plain">
        <b>{t.imported(imported.records)}</b>
      </p>
      {imported.notes.map((note) => (
        <p key={note.id} className="dim">
          {texts.notice(note)}
        </p>
      ))}
      {imported.unreadable.length > 0 && (
        <>
          <p className="plain">{t.unreadable(count(imported.unreadable.length))}</p>
          <ul>
            {imported.unreadable.slice(0, SEEN).map((one) => (
              <li key={`${one.line} ${one.text}`}>
                {t.line(count(one.line))} {texts.notice(one.sentence)} <span className="dim">{one.text}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
