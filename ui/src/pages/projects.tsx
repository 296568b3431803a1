import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useNavigate } from "react-router";
import { Dialog } from "../components/dialog";
import { api } from "../api/client";
import { keys, useProjects } from "../api/queries";
import { Icon } from "../components/icon";
import { Empty, Failed, Loading, Refusal } from "../components/states";
import { Mentions } from "./people/mentions";
import { day, useLanguage } from "../texts";

export function Projects() {
  const { texts, language } = useLanguage();
  const projects = useProjects();
  const [isOpen, setOpen] = useState(false);
  const create = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setOpen(true)}>
      {texts.projects.create}
    </Button>
  );
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{texts.projects.title}</h1>
          <p className="lead">{texts.projects.lead}</p>
        </div>
        {create}
      </header>
      {projects.isPending && <Loading lines={3} height={72} />}
      {projects.isError && <Failed error={projects.error} again={() => void projects.refetch()} />}
      {projects.data?.length === 0 && (
        <Empty icon="folder" title={texts.projects.empty} how={texts.projects.emptyHow}>
          {create}
        </Empty>
      )}
      <Mentions />
      <div className="cards">
        {projects.data?.map((project) => (
          <Link key={project.project_id} to={`/projects/${project.project_id}`} className="card card-link">
            <h2>{project.name}</h2>
            <p className="dim">
              {texts.projects.role[project.role] ?? project.role} · {texts.projects.since}{" "}
              {day(project.created_at, language)}
            </p>
          </Link>
        ))}
      </div>
      <NewProject isOpen={isOpen} close={() => setOpen(false)} />
    </div>
  );
}

function NewProject({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { texts } = useLanguage();
  const [name, setName] = useState("");
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => api.post("/api/v1/projects", { body: { name } }),
    onSuccess: (project) => {
      void client.invalidateQueries({ queryKey: keys.projects });
      void client.invalidateQueries({ queryKey: keys.me });
      void navigate(`/projects/${project.project_id}/setup`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) create.mutate();
  };
  return (
    <Dialog opened={isOpen} onClose={close} title={texts.projects.create}>
      <form onSubmit={submit} className="form">
        <TextInput
          label={texts.projects.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={200}
          data-autofocus
        />
        <Refusal error={create.error} />
        <div className="form-end">
          <Button variant="default" onClick={close}>
            {texts.state.cancel}
          </Button>
          <Button type="submit" disabled={!name.trim()} loading={create.isPending}>
            {texts.projects.make}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
