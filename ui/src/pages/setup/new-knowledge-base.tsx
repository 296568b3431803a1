import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client";
import { keys } from "../../api/queries";
import { Dialog } from "../../components/dialog";
import { Refusal } from "../../components/states";
import { useTexts } from "../../texts";

/** A name for a new knowledge base. */
export function NewKnowledgeBase(props: {
  projectId: number;
  isOpen: boolean;
  close: () => void;
  made: (id: number) => void;
}) {
  const texts = useTexts();
  const [name, setName] = useState("");
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => api.post("/api/v1/knowledge-bases", { body: { project_id: props.projectId, name } }),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: keys.knowledgeBases(props.projectId) });
      setName("");
      props.close();
      props.made(made.knowledge_base_id);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) create.mutate();
  };
  return (
    <Dialog opened={props.isOpen} onClose={props.close} title={texts.setup.newKnowledgeBase}>
      <form className="form" onSubmit={submit}>
        <TextInput
          label={texts.setup.knowledgeBaseName}
          value={name}
          maxLength={200}
          onChange={(e) => setName(e.currentTarget.value)}
          data-autofocus
        />
        <Refusal error={create.error} />
        <div className="form-end">
          <Button variant="default" onClick={props.close}>
            {texts.state.cancel}
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!name.trim()}>
            {texts.projects.make}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
