import "@mantine/core/styles.css";
import "./styles/theme.css";
import "./styles/layout.css";
import "./styles/pages.css";
import "./styles/table.css";
import { MantineProvider, Modal, createTheme } from "@mantine/core";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode, useMemo } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router";
import { Problem } from "./api/client";
import { leaveForSignIn, router } from "./router";
import { TextsProvider, useTexts } from "./texts";

// The server's content policy allows no <style> in the page. Mantine's variables come from its style sheet instead,
// and our own from styles/theme.css; see README.md.
function Themed({ children }: { children: ReactNode }) {
  const texts = useTexts();
  const theme = useMemo(
    () =>
      createTheme({
        cursorType: "pointer",
        defaultRadius: "md",
        components: {
          Modal: Modal.extend({
            defaultProps: { lockScroll: false, closeButtonProps: { "aria-label": texts.state.close } },
          }),
        },
      }),
    [texts],
  );
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      {children}
    </MantineProvider>
  );
}

function signedOut(error: unknown) {
  if (error instanceof Problem && error.status === 401) leaveForSignIn();
}

const client = new QueryClient({
  queryCache: new QueryCache({ onError: signedOut }),
  mutationCache: new MutationCache({ onError: signedOut }),
  defaultOptions: {
    // A server on the same machine answers also where the browser has no network.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 2_000,
      // What the server has refused it will refuse again; what did not reach it may reach it next time.
      retry: (count, error) => !(error instanceof Problem && error.status < 500) && count < 2,
    },
  },
});

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <TextsProvider>
      <Themed>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Themed>
    </TextsProvider>
  </StrictMode>,
);
