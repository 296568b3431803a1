import { createBrowserRouter } from "react-router";
import { Shell } from "./components/shell";
import { Crashed } from "./pages/crashed";
import { NotFound } from "./pages/not-found";
import { ProgressPage } from "./pages/progress/progress";
import { ProjectPage } from "./pages/project";
import { Projects } from "./pages/projects";
import { SetupPage } from "./pages/setup/setup";
import { SignIn } from "./pages/sign-in";

// What is not needed for the first look comes when it is asked for.
export const router = createBrowserRouter([
  { path: "/sign-in", element: <SignIn />, errorElement: <Crashed /> },
  {
    path: "/join",
    errorElement: <Crashed />,
    HydrateFallback: () => <div className="shell" />,
    lazy: async () => ({ Component: (await import("./pages/people/join")).JoinPage }),
  },
  {
    element: <Shell />,
    errorElement: <Crashed />,
    HydrateFallback: () => <div className="shell" />,
    children: [
      { path: "/", element: <Projects /> },
      { path: "/projects/:projectId", element: <ProjectPage /> },
      { path: "/projects/:projectId/setup", element: <SetupPage /> },
      {
        path: "/projects/:projectId/templates/:templateId",
        lazy: async () => ({ Component: (await import("./pages/setup/editor")).EditorPage }),
      },
      {
        path: "/projects/:projectId/questions",
        lazy: async () => ({ Component: (await import("./pages/questions/questions")).QuestionsPage }),
      },
      {
        path: "/projects/:projectId/studies",
        lazy: async () => ({ Component: (await import("./pages/studies/studies")).StudiesPage }),
      },
      {
        path: "/projects/:projectId/people",
        lazy: async () => ({ Component: (await import("./pages/people/people")).PeoplePage }),
      },
      { path: "/tasks/:taskId", element: <ProgressPage /> },
      {
        path: "/tasks/:taskId/queue",
        lazy: async () => ({ Component: (await import("./pages/queue/queue")).QueuePage }),
      },
      {
        path: "/tasks/:taskId/reviewers",
        lazy: async () => ({ Component: (await import("./pages/two-reviewers/reviewers")).ReviewersPage }),
      },
      {
        path: "/tasks/:taskId/conflicts",
        lazy: async () => ({ Component: (await import("./pages/two-reviewers/conflicts")).ConflictsPage }),
      },
      {
        path: "/tasks/:taskId/agreement",
        lazy: async () => ({ Component: (await import("./pages/two-reviewers/agreement")).AgreementPage }),
      },
      {
        path: "/tasks/:taskId/table",
        lazy: async () => ({ Component: (await import("./pages/table/table")).TablePage }),
      },
      {
        path: "/tasks/:taskId/analysis",
        lazy: async () => ({ Component: (await import("./pages/analysis/analysis")).AnalysisPage }),
      },
      {
        path: "/tasks/:taskId/read-back",
        lazy: async () => ({ Component: (await import("./pages/read-back/read-back")).ReadBackPage }),
      },
      {
        path: "/tasks/:taskId/follow-up",
        lazy: async () => ({ Component: (await import("./pages/follow-up/follow-up")).FollowUpPage }),
      },
      {
        path: "/tasks/:taskId/differences",
        lazy: async () => ({ Component: (await import("./pages/follow-up/differences")).DifferencesPage }),
      },
      { path: "/engine/:part?", lazy: async () => ({ Component: (await import("./pages/engine/engine")).Engine }) },
      { path: "*", element: <NotFound /> },
    ],
  },
]);

const RETURN = "ingather-return";

/** To the sign-in page, with the way back remembered. */
export function leaveForSignIn(): void {
  const { pathname, search } = window.location;
  // An invitation is for those who are not signed in, too; its page says what the server refuses.
  if (pathname === "/sign-in" || pathname === "/join") return;
  sessionStorage.setItem(RETURN, pathname + search);
  void router.navigate("/sign-in", { replace: true });
}

export function wayBack(): string {
  const kept = sessionStorage.getItem(RETURN) ?? "/";
  sessionStorage.removeItem(RETURN);
  return kept.startsWith("/") && !kept.startsWith("//") ? kept : "/";
}
