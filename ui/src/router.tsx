import { createBrowserRouter } from "react-router";
import { Shell } from "./components/shell";
import { Crashed } from "./pages/crashed";
import { Engine } from "./pages/engine/engine";
import { NotFound } from "./pages/not-found";
import { ProgressPage } from "./pages/progress/progress";
import { ProjectPage } from "./pages/project";
import { Projects } from "./pages/projects";
import { EditorPage } from "./pages/setup/editor";
import { SetupPage } from "./pages/setup/setup";
import { SignIn } from "./pages/sign-in";
import { TablePage } from "./pages/table/table";

export const router = createBrowserRouter([
  { path: "/sign-in", element: <SignIn />, errorElement: <Crashed /> },
  {
    element: <Shell />,
    errorElement: <Crashed />,
    children: [
      { path: "/", element: <Projects /> },
      { path: "/projects/:projectId", element: <ProjectPage /> },
      { path: "/projects/:projectId/setup", element: <SetupPage /> },
      { path: "/projects/:projectId/templates/:templateId", element: <EditorPage /> },
      { path: "/tasks/:taskId", element: <ProgressPage /> },
      { path: "/tasks/:taskId/table", element: <TablePage /> },
      { path: "/engine/:part?", element: <Engine /> },
      { path: "*", element: <NotFound /> },
    ],
  },
]);

const RETURN = "ingather-return";

/** To the sign-in page, with the way back remembered. */
export function leaveForSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname === "/sign-in") return;
  sessionStorage.setItem(RETURN, pathname + search);
  void router.navigate("/sign-in", { replace: true });
}

export function wayBack(): string {
  const kept = sessionStorage.getItem(RETURN) ?? "/";
  sessionStorage.removeItem(RETURN);
  return kept.startsWith("/") && !kept.startsWith("//") ? kept : "/";
}
