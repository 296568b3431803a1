import { Badge, Button, Checkbox, Select, TextInput, Tooltip } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type DragEvent, type FormEvent, useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { Dialog } from "../../components/dialog";
import { type Document, api } from "../../api/client";
import { keys, useDocuments, useKnowledgeBases } from "../../api/queries";
import { Icon } from "../../components/icon";
import { Empty, Failed, Loading, Refusal } from "../../components/states";
import { useTexts } from "../../texts";
import { CardTitle } from "./setup";
import { UploadList, useUploads } from "./uploads";

interface Props {
  projectId: number;
  chosen: Document[];
  setChosen: (next: Document[] | ((old: Document[]) => Document[])) => void;
  setUploading: (isUploading: boolean) => void;
}

const ROW = 40;

export function DocumentsCard({ projectId, chosen, setChosen, setUploading }: Props) {
  const texts = useTexts();
  const [address, setAddress] = useSearchParams();
  const knowledgeBases = useKnowledgeBases(projectId);
  const wanted = Number(address.get("knowledge_base"));
  const knowledgeBase =
    knowledgeBases.data?.find((one) => one.knowledge_base_id === wanted) ?? knowledgeBases.data?.[0];
  const knowledgeBaseId = knowledgeBase?.knowledge_base_id;
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.trim(), 200);
  const documents = useDocuments(knowledgeBaseId, search);
  const all = documents.data?.pages.flatMap((page) => page.documents) ?? [];
  const [isMaking, setMaking] = useState(false);
  const [isOver, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const client = useQueryClient();

  const [again, setAgain] = useState<ReadonlySet<number>>(new Set());
  // Uploaded, and not yet in a list: lists that were requested before an upload ended know nothing of it.
  const unlisted = useRef(new Set<number>());
  const uploads = useUploads(knowledgeBaseId, (document, isDuplicate) => {
    unlisted.current.add(document.document_id);
    if (isDuplicate) setAgain((old) => new Set(old).add(document.document_id));
    void client.invalidateQueries({ queryKey: ["documents", document.knowledge_base_id] });
    void client.invalidateQueries({ queryKey: keys.knowledgeBases(projectId) });
    setChosen((old) => (old.some((one) => one.document_id === document.document_id) ? old : [...old, document]));
  });
  useEffect(() => setUploading(uploads.isBusy), [uploads.isBusy, setUploading]);

  // What is known of a chosen document changes while it is read; what was deleted meanwhile cannot be chosen.
  const isWhole = documents.isSuccess && !documents.hasNextPage && !documents.isPlaceholderData && search === "";
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
  }, [documents.data, isWhole, knowledgeBaseId, setChosen]); // oxlint-disable-line react-hooks/exhaustive-deps -- `all` is made of documents.data

  const choose = (id: number) =>
    setAddress((old) => new URLSearchParams({ ...Object.fromEntries(old), knowledge_base: String(id) }), {
      replace: true,
    });
  const take = (files: Iterable<File>) => {
    if (knowledgeBaseId !== undefined) uploads.add([...files]);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  const ids = new Set(chosen.map((one) => one.document_id));
  const elsewhere = new Set(chosen.filter((one) => one.knowledge_base_id !== knowledgeBaseId).map((one) => one.sha256));
  const isTwice = (one: Document) => again.has(one.document_id) || elsewhere.has(one.sha256);
  const here = all.filter((one) => ids.has(one.document_id)).length;
  const put = (some: Document[], isOn: boolean) => {
    const touched = new Set(some.map((one) => one.document_id));
    setChosen((old) => [...old.filter((one) => !touched.has(one.document_id)), ...(isOn ? some : [])]);
  };

  return (
    <section
      className={isOver ? "card card-drop" : "card"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(knowledgeBaseId !== undefined);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={drop}
    >
      <CardTitle number={2} title={texts.setup.documentsTitle} />
      {knowledgeBases.isPending && <Loading lines={5} />}
      {knowledgeBases.isError && <Failed error={knowledgeBases.error} again={() => void knowledgeBases.refetch()} />}
      {knowledgeBases.data?.length === 0 && (
        <Empty icon="files" title={texts.setup.noKnowledgeBase} how={texts.setup.noKnowledgeBaseHow}>
          <Button leftSection={<Icon name="plus" />} onClick={() => setMaking(true)}>
            {texts.setup.newKnowledgeBase}
          </Button>
        </Empty>
      )}
      {knowledgeBase && (
        <>
          <div className="documents-bar">
            <Select
              aria-label={texts.setup.knowledgeBase}
              data={knowledgeBases.data?.map((one) => ({
                value: String(one.knowledge_base_id),
                label: `${one.name} (${one.documents})`,
              }))}
              value={String(knowledgeBaseId)}
              onChange={(value) => value && choose(Number(value))}
              allowDeselect={false}
            />
            <Tooltip label={texts.setup.newKnowledgeBase}>
              <Button
                variant="default"
                px="sm"
                aria-label={texts.setup.newKnowledgeBase}
                onClick={() => setMaking(true)}
              >
                <Icon name="plus" />
              </Button>
            </Tooltip>
            <TextInput
              className="grow"
              placeholder={texts.setup.search}
              aria-label={texts.setup.search}
              leftSection={<Icon name="search" />}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              maxLength={200}
            />
            <Button leftSection={<Icon name="upload" />} variant="light" onClick={() => picker.current?.click()}>
              {texts.setup.upload}
            </Button>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              accept=".pdf,.txt,.md,application/pdf"
              onChange={(event) => {
                take(event.currentTarget.files ?? []);
                event.currentTarget.value = "";
              }}
            />
          </div>
          <UploadList uploads={uploads} />
          {documents.isPending && <Loading lines={6} />}
          {documents.isError && <Failed error={documents.error} again={() => void documents.refetch()} />}
          {documents.isSuccess && all.length === 0 && search === "" && (
            <div className="drop-zone">
              <Empty icon="upload" title={texts.setup.noDocuments} how={texts.setup.noDocumentsHow}>
                <Button onClick={() => picker.current?.click()}>{texts.setup.upload}</Button>
              </Empty>
            </div>
          )}
          {documents.isSuccess && all.length === 0 && search !== "" && <p className="dim pad">{texts.setup.noMatch}</p>}
          {all.length > 0 && (
            <>
              <div className="documents-select">
                <Checkbox
                  label={texts.setup.selectAll}
                  checked={here === all.length}
                  indeterminate={here > 0 && here < all.length}
                  onChange={(event) => put(all, event.currentTarget.checked)}
                />
                <Button
                  variant="subtle"
                  size="compact-sm"
                  onClick={() =>
                    put(
                      all.filter((one) => one.state === "readable"),
                      true,
                    )
                  }
                >
                  {texts.setup.selectReadable}
                </Button>
                <Button
                  variant="subtle"
                  size="compact-sm"
                  color="gray"
                  disabled={chosen.length === 0}
                  onClick={() => setChosen([])}
                >
                  {texts.setup.selectNone}
                </Button>
                <span className="spacer" />
                <span className="dim">{texts.setup.selected(here, all.length)}</span>
              </div>
              <DocumentList documents={all} ids={ids} put={put} isTwice={isTwice} />
            </>
          )}
        </>
      )}
      {isOver && <div className="drop-cover">{texts.setup.dropHere}</div>}
      <NewKnowledgeBase projectId={projectId} isOpen={isMaking} close={() => setMaking(false)} made={choose} />
    </section>
  );
}

interface ListProps {
  documents: Document[];
  ids: Set<number>;
  put: (some: Document[], isOn: boolean) => void;
  isTwice: (document: Document) => boolean;
}

function DocumentList(props: ListProps) {
  const texts = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: props.documents.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  return (
    <div
      ref={box}
      className="documents"
      role="list"
      style={{ height: Math.min(props.documents.length * ROW, 440) + 2 }}
    >
      <div style={{ height: rows.getTotalSize(), position: "relative" }}>
        {rows.getVirtualItems().map((item) => {
          const one = props.documents[item.index] as Document;
          return (
            <div key={one.document_id} role="listitem">
              <label className="document" style={{ transform: `translateY(${item.start}px)`, height: ROW }}>
                <Checkbox
                  aria-label={one.file_name}
                  checked={props.ids.has(one.document_id)}
                  onChange={(event) => props.put([one], event.currentTarget.checked)}
                />
                <Icon name="file" />
                <span className="document-name" title={one.file_name}>
                  {one.file_name}
                </span>
                <Badges document={one} isTwice={props.isTwice(one)} />
                <span className="dim document-pages">
                  {one.page_count > 0 ? texts.setup.pages(one.page_count) : ""}
                </span>
              </label>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Badges({ document, isTwice }: { document: Document; isTwice: boolean }) {
  const texts = useTexts();
  const badges: { text: string; color: string; why: string }[] = [];
  const why = (document.problem && texts.setup.problems[document.problem]) || texts.notice(document.sentence);
  if (isTwice) badges.push({ text: texts.setup.twice, color: "orange", why: texts.setup.twiceHow });
  if (document.state === "unread") badges.push({ text: texts.setup.unread, color: "gray", why: "" });
  if (document.problem === "no_text_layer") badges.push({ text: texts.setup.scan, color: "red", why });
  else if (document.state === "problem") badges.push({ text: texts.setup.problem, color: "red", why });
  if (document.state === "failed") badges.push({ text: texts.setup.failed, color: "red", why });
  if (document.hidden_characters > 0)
    badges.push({ text: texts.setup.hidden, color: "orange", why: texts.setup.hiddenHow(document.hidden_characters) });
  return (
    <>
      {badges.map((one) => (
        <Tooltip key={one.text} label={one.why || one.text} multiline maw={360}>
          <Badge
            size="sm"
            variant="light"
            color={one.color}
            leftSection={one.color === "gray" ? <Icon name="clock" size={10} /> : <Icon name="warning" size={10} />}
          >
            {one.text}
          </Badge>
        </Tooltip>
      ))}
    </>
  );
}

function NewKnowledgeBase(props: {
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
