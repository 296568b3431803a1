import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type Schemas, api, whole } from "./client";
import { keys, useMe } from "./queries";

export type Member = Schemas["Member"];
export type Role = Member["role"];
export type ReviewMode = Schemas["ReviewMode"];
export type Present = Schemas["Present"];
export const ROLES: Role[] = ["owner", "adjudicator", "reviewer", "reader"];

const members = (projectId: number) => ["members", projectId] as const;
const invitations = (projectId: number) => ["invitations", projectId] as const;
const mode = (projectId: number) => ["review-mode", projectId] as const;

/** Whether the person looking owns the project, and whether they may settle conflicts. */
export function useMyRole(projectId: number | undefined) {
  const me = useMe().data;
  const role = me?.roles[String(projectId)] as Role | undefined;
  return { me, role, isOwner: role === "owner", mayOverrule: role === "owner" || role === "adjudicator" };
}

export function useMembers(projectId: number | undefined) {
  return useQuery({
    queryKey: members(projectId ?? 0),
    enabled: projectId !== undefined,
    queryFn: ({ signal }) =>
      whole(
        (after) =>
          api.get("/api/v1/projects/{project_id}/members", {
            path: { project_id: projectId },
            query: { after },
            signal,
          }),
        (page) => page.members,
      ),
  });
}

export function useInvitations(projectId: number, isOwner: boolean) {
  return useQuery({
    queryKey: invitations(projectId),
    enabled: isOwner,
    queryFn: async ({ signal }) =>
      (await api.get("/api/v1/projects/{project_id}/invitations", { path: { project_id: projectId }, signal }))
        .invitations,
  });
}

/** What an owner does with the people of a project. Each answer is followed by a fresh look at who is in. */
export function useMembership(projectId: number) {
  const client = useQueryClient();
  const path = { project_id: projectId };
  const onSettled = () => {
    for (const queryKey of [members(projectId), invitations(projectId), keys.me, keys.projects])
      void client.invalidateQueries({ queryKey });
  };
  return {
    invite: useMutation({
      mutationFn: (role: Role) => api.post("/api/v1/projects/{project_id}/invitations", { path, body: { role } }),
      onSettled,
    }),
    revoke: useMutation({
      mutationFn: (invitationId: number) =>
        api.delete("/api/v1/projects/{project_id}/invitations/{invitation_id}", {
          path: { ...path, invitation_id: invitationId },
        }),
      onSettled,
    }),
    setRole: useMutation({
      mutationFn: ({ account, role }: { account: string; role: Role }) =>
        api.put("/api/v1/projects/{project_id}/members", { path, body: { account, role } }),
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (accountId: number) =>
        api.delete("/api/v1/projects/{project_id}/members/{account_id}", {
          path: { ...path, account_id: accountId },
        }),
      onSettled,
    }),
    handOver: useMutation({
      mutationFn: (accountId: number) =>
        api.post("/api/v1/projects/{project_id}/hand-over", { path, body: { account_id: accountId } }),
      onSettled,
    }),
  };
}

export function useReviewMode(projectId: number | undefined) {
  return useQuery({
    queryKey: mode(projectId ?? 0),
    enabled: projectId !== undefined,
    queryFn: ({ signal }) =>
      api.get("/api/v1/projects/{project_id}/review-mode", { path: { project_id: projectId }, signal }),
  });
}

export function useChangeReviewMode(projectId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ReviewMode) =>
      api.put("/api/v1/projects/{project_id}/review-mode", { path: { project_id: projectId }, body }),
    onSettled: () => client.invalidateQueries({ queryKey: mode(projectId) }),
  });
}

// --- presence ----------------------------------------------------------------------------------------------------

// The server forgets a page after thirty seconds. Two that are lost on a slow line do no harm.
const STILL_HERE_MS = 10_000;
const PRESENCE = "/api/v1/extraction/tasks/{task_id}/presence" as const;

export const presentKey = (taskId: number) => ["present", taskId] as const;

/** Says that this page is open, and at which cell; the stream of reviews says who else is there. */
export function usePresence(taskId: number, place: string): Present[] {
  const client = useQueryClient();
  useEffect(() => {
    const path = { task_id: taskId };
    const come = () => {
      if (document.visibilityState === "visible")
        void api.put(PRESENCE, { path, body: { place } }).catch(() => undefined);
    };
    come();
    const timer = setInterval(come, STILL_HERE_MS);
    return () => clearInterval(timer);
  }, [taskId, place]);
  useEffect(() => {
    const leave = () =>
      void api.delete(PRESENCE, { path: { task_id: taskId }, keepalive: true }).catch(() => undefined);
    window.addEventListener("pagehide", leave);
    return () => {
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [taskId]);
  const [there, setThere] = useState<Present[]>([]);
  useEffect(() => {
    const show = () => setThere(client.getQueryData<Present[]>(presentKey(taskId)) ?? []);
    show();
    return client.getQueryCache().subscribe((event) => {
      if (event.query.queryKey[0] === "present" && event.query.queryKey[1] === taskId) show();
    });
  }, [client, taskId]);
  return there;
}

// --- comments ----------------------------------------------------------------------------------------------------

export type Comment = Schemas["Comment"];
const COMMENTS = "/api/v1/extraction/tasks/{task_id}/comments" as const;
export const commentsKey = (taskId: number) => ["comments", taskId] as const;

/** All that was said about the cells of a task, as far as one may see it. */
export function useComments(taskId: number) {
  return useQuery({
    queryKey: commentsKey(taskId),
    queryFn: ({ signal }) =>
      whole(
        (after) => api.get(COMMENTS, { path: { task_id: taskId }, query: { after }, signal }),
        (page) => page.comments,
      ),
  });
}

export function useMentions() {
  return useQuery({
    queryKey: ["mentions"],
    queryFn: async ({ signal }) => (await api.get("/api/v1/comments/mentions", { signal })).comments,
  });
}

export function useSay(taskId: number, ordinal: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["NewComment"]) =>
      api.post("/api/v1/extraction/tasks/{task_id}/results/{ordinal}/comments", {
        path: { task_id: taskId, ordinal },
        body,
      }),
    onSettled: () => client.invalidateQueries({ queryKey: commentsKey(taskId) }),
  });
}

export function useResolve(taskId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ commentId, isResolved }: { commentId: number; isResolved: boolean }) =>
      api.put("/api/v1/extraction/tasks/{task_id}/comments/{comment_id}", {
        path: { task_id: taskId, comment_id: commentId },
        body: { is_resolved: isResolved },
      }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: commentsKey(taskId) });
      void client.invalidateQueries({ queryKey: ["mentions"] });
    },
  });
}
