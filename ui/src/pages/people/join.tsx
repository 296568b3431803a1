import { Alert, Button, Loader, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { api, sentence } from "../../api/client";
import { Icon } from "../../components/icon";
import { LanguageMenu, Logo } from "../../components/shell";
import { Refusal } from "../../components/states";
import { useTexts } from "../../texts";

/** The secret of an invitation stands behind the #, which no server sees. It is taken out of the address at once. */
function useSecret(): string {
  const [secret] = useState(() => window.location.hash.slice(1));
  useEffect(() => window.history.replaceState(window.history.state, "", "/join"), []);
  return secret;
}

export function JoinPage() {
  const texts = useTexts();
  const t = texts.people;
  const secret = useSecret();
  const shown = useQuery({
    queryKey: ["invitation", secret],
    enabled: secret !== "",
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => api.post("/api/v1/invitations/look", { body: { secret } }),
  });
  // Nobody is signed in where the server says so; the page then needs a name.
  const me = useQuery({ queryKey: ["joining"], retry: false, queryFn: () => api.get("/api/v1/me").catch(() => null) });
  const isWaiting = secret !== "" && (shown.isPending || me.isPending);
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <div className="sign-in-brand">
          <Logo />
          <div>
            <strong>Ingather</strong>
            <span>{texts.app.tagline}</span>
          </div>
          <LanguageMenu />
        </div>
        {isWaiting && <Loader size="sm" />}
        {(secret === "" || shown.isError) && (
          <Alert color="red" title={t.joinUseless} icon={<Icon name="warning" />} role="alert">
            {secret === "" ? t.joinNoLink : sentence(shown.error, texts)}
          </Alert>
        )}
        {!isWaiting && shown.data && (
          <>
            <h1>{t.joinTitle(shown.data.project)}</h1>
            <p>{t.joinLead(shown.data.made_by, t.roles[shown.data.role])}</p>
            <Join secret={secret} name={me.data?.name ?? null} />
          </>
        )}
      </div>
    </main>
  );
}

/** One button for somebody who is signed in, and a name for somebody who is not. */
function Join({ secret, name }: { secret: string; name: string | null }) {
  const t = useTexts().people;
  const navigate = useNavigate();
  const client = useQueryClient();
  const [given, setGiven] = useState("");
  const join = useMutation({
    mutationFn: () =>
      api.post("/api/v1/invitations/accept", { body: name === null ? { secret, name: given.trim() } : { secret } }),
    onSuccess: (joined) => {
      client.clear();
      void navigate(`/projects/${joined.project_id}`, { replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name !== null || given.trim()) join.mutate();
  };
  return (
    <form className="form" onSubmit={submit}>
      {name === null && (
        <TextInput
          label={t.joinName}
          value={given}
          maxLength={100}
          onChange={(event) => setGiven(event.currentTarget.value)}
        />
      )}
      <Refusal error={join.error} />
      <Button type="submit" loading={join.isPending} disabled={name === null && !given.trim()}>
        {name === null ? t.join : t.joinAs(name)}
      </Button>
    </form>
  );
}
