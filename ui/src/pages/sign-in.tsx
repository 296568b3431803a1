import { Alert, Code, Loader } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useNavigate } from "react-router";
import { api, sentence } from "../api/client";
import { Icon } from "../components/icon";
import { LanguageMenu, Logo } from "../components/shell";
import { wayBack } from "../router";
import { useWords } from "../words";

/** The word of a link stands behind the #, which no server sees. It is taken out of the address before it is used. */
export function SignIn() {
  const words = useWords();
  const navigate = useNavigate();
  const client = useQueryClient();
  const signIn = useMutation({
    mutationFn: (word: string) => api.post("/api/v1/session", { body: { word } }),
    onSuccess: () => {
      client.clear();
      void navigate(wayBack(), { replace: true });
    },
  });
  const { mutate } = signIn;
  useEffect(() => {
    const take = () => {
      const word = window.location.hash.slice(1);
      if (!word) return;
      window.history.replaceState(window.history.state, "", "/sign-in");
      mutate(word);
    };
    take();
    // A link that is opened while this page is shown changes what stands behind the #, and nothing else.
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, [mutate]);
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <div className="sign-in-brand">
          <Logo />
          <div>
            <strong>Ingather</strong>
            <span>{words.app.tagline}</span>
          </div>
          <LanguageMenu />
        </div>
        {signIn.isPending || signIn.isSuccess ? (
          <p className="sign-in-wait" role="status">
            <Loader size="sm" /> {words.signIn.working}
          </p>
        ) : (
          <>
            {signIn.isError && (
              <Alert color="red" title={words.signIn.failed} icon={<Icon name="warning" />} role="alert">
                {sentence(signIn.error, words)}
              </Alert>
            )}
            <h1>{words.signIn.needLink}</h1>
            <p>{words.signIn.howRun}</p>
            <p>{words.signIn.howLink}</p>
            <Code block>ingather link</Code>
          </>
        )}
      </div>
    </main>
  );
}
