import { Alert, Code, Loader } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useNavigate } from "react-router";
import { api, sentence } from "../api/client";
import { Icon } from "../components/icon";
import { LanguageMenu, Logo } from "../components/shell";
import { wayBack } from "../router";
import { useTexts } from "../texts";

/** The secret of a link stands behind the #, which no server sees. It is taken out of the address before it is used. */
export function SignIn() {
  const texts = useTexts();
  const navigate = useNavigate();
  const client = useQueryClient();
  const signIn = useMutation({
    mutationFn: (secret: string) => api.post("/api/v1/session", { body: { secret } }),
    onSuccess: () => {
      client.clear();
      void navigate(wayBack(), { replace: true });
    },
  });
  const { mutate } = signIn;
  useEffect(() => {
    const take = () => {
      const secret = window.location.hash.slice(1);
      if (!secret) return;
      window.history.replaceState(window.history.state, "", "/sign-in");
      mutate(secret);
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
            <span>{texts.app.tagline}</span>
          </div>
          <LanguageMenu />
        </div>
        {signIn.isPending || signIn.isSuccess ? (
          <p className="sign-in-wait" role="status">
            <Loader size="sm" /> {texts.signIn.working}
          </p>
        ) : (
          <>
            {signIn.isError && (
              <Alert color="red" title={texts.signIn.failed} icon={<Icon name="warning" />} role="alert">
                {sentence(signIn.error, texts)}
              </Alert>
            )}
            <h1>{texts.signIn.needLink}</h1>
            <p>{texts.signIn.howRun}</p>
            <p>{texts.signIn.howLink}</p>
            <Code block>ingather link</Code>
          </>
        )}
      </div>
    </main>
  );
}
