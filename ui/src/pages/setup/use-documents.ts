import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import type { Document } from "../../api/client";
import { keys, useDocuments, useKnowledgeBases } from "../../api/queries";
import { useUploads } from "./uploads";

export type SetChosen = (next: Document[] | ((old: Document[]) => Document[])) => void;

/** The knowledge bases of a project, and the one that is shown: that of the address, or else the first. */
export function useShownKnowledgeBase(projectId: number) {
  const [address, setAddress] = useSearchParams();
  const query = useKnowledgeBases(projectId);
  const wanted = Number(address.get("knowledge_base"));
  const shown = query.data?.find((one) => one.knowledge_base_id === wanted) ?? query.data?.[0];
  const show = (id: number) =>
    setAddress((old) => new URLSearchParams({ ...Object.fromEntries(old), knowledge_base: String(id) }), {
      replace: true,
    });
  return { query, shown, show };
}

/** Uploads into a knowledge base. What has arrived is chosen. */
export function useChosenUploads(projectId: number, knowledgeBaseId: number | undefined, setChosen: SetChosen) {
  const client = useQueryClient();
  const [duplicates, setDuplicates] = useState<ReadonlySet<number>>(new Set());
  // Uploaded, and not yet in a list: lists that were requested before an upload ended know nothing of it.
  const unlisted = useRef(new Set<number>());
  const uploads = useUploads(knowledgeBaseId, (document, isDuplicate) => {
    unlisted.current.add(document.document_id);
    if (isDuplicate) setDuplicates((old) => new Set(old).add(document.document_id));
    void client.invalidateQueries({ queryKey: ["documents", document.knowledge_base_id] });
    void client.invalidateQueries({ queryKey: keys.knowledgeBases(projectId) });
    setChosen((old) => (old.some((one) => one.document_id === document.document_id) ? old : [...old, document]));
  });
  return { uploads, unlisted, duplicates };
}

/**
 * The documents of a knowledge base that fit a search. What is known of a chosen document changes while it is read;
 * what was deleted meanwhile cannot be chosen.
 */
export function useListedDocuments(
  knowledgeBaseId: number | undefined,
  search: string,
  unlisted: RefObject<Set<number>>,
  setChosen: SetChosen,
) {
  const query = useDocuments(knowledgeBaseId, search);
  const all = query.data?.pages.flatMap((page) => page.documents) ?? [];
  const isWhole = query.isSuccess && !query.hasNextPage && !query.isPlaceholderData && search === "";
  useEffect(() => {
    const known = new Map(all.map((one) => [one.document_id, one]));
    for (const id of known.keys()) unlisted.current.delete(id);
    const isThere = (one: Document) => known.has(one.document_id) || unlisted.current.has(one.document_id);
    setChosen((old) => {
      const next = old
        .filter((one) => !isWhole || one.knowledge_base_id !== knowledgeBaseId || isThere(one))
        .map((one) => known.get(one.document_id) ?? one);
      return next.length === old.length && next.every((one, at) => one.state === old[at]?.state) ? old : next;
    });
  }, [query.data, isWhole, knowledgeBaseId, unlisted, setChosen]); // oxlint-disable-line react-hooks/exhaustive-deps -- `all` is made of query.data
  return { query, all };
}
