import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Study, useChangeStudies } from "../../api/studies";
import { Dialog } from "../../components/dialog";
import { useTexts } from "../../texts";

interface Props {
  study: Study;
  change: ReturnType<typeof useChangeStudies>;
  close: () => void;
}

/** A name of a person's own. Without one, a study has that of its first report. */
export function NameStudy({ study, change, close }: Props) {
  const texts = useTexts();
  const t = texts.studies;
  const [name, setName] = useState(study.name);
  const save = (next: string | null) =>
    change.mutate({ kind: "name", study_id: study.study_id, name: next }, { onSuccess: close });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) save(name.trim());
  };
  return (
    <Dialog opened onClose={close} title={t.rename(study.name)}>
      <form className="form" onSubmit={submit}>
        <TextInput
          label={t.name}
          value={name}
          maxLength={200}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <div className="form-end">
          {study.is_named && (
            <Button variant="default" onClick={() => save(null)}>
              {t.ownName}
            </Button>
          )}
          <Button type="submit" disabled={!name.trim()} loading={change.isPending}>
            {texts.state.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
