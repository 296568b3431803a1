import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type DragEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import type { Document, KnowledgeBase } from "../../api/client";
import { Icon } from "../../components/icon";
import { Empty, Failed, Loading } from "../../components/states";
import { useTexts } from "../../texts";
import { DocumentList, Selection } from "./document-list";
import { DocumentsBar } from "./documents-bar";
import { NewKnowledgeBase } from "./new-knowledge-base";
import { CardTitle } from "./card-title";
import { UploadList } from "./uploads";
import { type SetChosen, useChosenUploads, useListedDocuments, useShownKnowledgeBase } from "./use-documents";

interface Props {
  projectId: number;
  chosen: Document[];
  setChosen: SetChosen;
  setUploading: (isUploading: boolean) => void;
}

/** Which documents are read: those of a knowledge base, and files that are dropped here. */
export function DocumentsCard(props: Props) {
  const texts = useTexts();
  const { projectId, chosen, setChosen, setUploading } = props;
  const { query, shown, show } = useShownKnowledgeBase(projectId);
  const { uploads, unlisted, duplicates } = useChosenUploads(projectId, shown?.knowledge_base_id, setChosen);
  useEffect(() => setUploading(uploads.isBusy), [uploads.isBusy, setUploading]);
  const [isMaking, setMaking] = useState(false);
  const [typed, setTyped] = useState("");
  const picker = useRef<HTMLInputElement>(null);
  const pick = () => picker.current?.click();
  const take = (files: Iterable<File>) => {
    if (shown) uploads.add([...files]);
  };
  return (
    <DropCard mayDrop={shown !== undefined} take={take}>
      <CardTitle number={2} title={texts.setup.documentsTitle} />
      {query.isPending && <Loading lines={5} />}
      {query.isError && <Failed error={query.error} again={() => void query.refetch()} />}
      {query.data?.length === 0 && (
        <Empty icon="files" title={texts.setup.noKnowledgeBase} how={texts.setup.noKnowledgeBaseHow}>
          <Button leftSection={<Icon name="plus" />} onClick={() => setMaking(true)}>
            {texts.setup.newKnowledgeBase}
          </Button>
        </Empty>
      )}
      {shown && (
        <DocumentsBar
          all={query.data ?? []}
          shown={shown}
          show={show}
          make={() => setMaking(true)}
          search={typed}
          setSearch={setTyped}
          upload={pick}
        />
      )}
      {shown && <FileInput box={picker} take={take} />}
      {shown && <UploadList uploads={uploads} />}
      <Documents
        shown={shown}
        typed={typed}
        unlisted={unlisted}
        duplicates={duplicates}
        chosen={chosen}
        setChosen={setChosen}
        pick={pick}
      />
      <NewKnowledgeBase projectId={projectId} isOpen={isMaking} close={() => setMaking(false)} made={show} />
    </DropCard>
  );
}

/** A card on which files can be dropped. */
function DropCard(props: { mayDrop: boolean; take: (files: Iterable<File>) => void; children: ReactNode }) {
  const texts = useTexts();
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(props.mayDrop);
  };
  const leave = (event: DragEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    props.take(event.dataTransfer.files);
  };
  return (
    <section className={isOver ? "card card-drop" : "card"} onDragOver={over} onDragLeave={leave} onDrop={drop}>
      {props.children}
      {isOver && <div className="drop-cover">{texts.setup.dropHere}</div>}
    </section>
  );
}

/** The browser's own choice of files, which buttons open. */
function FileInput(props: { box: RefObject<HTMLInputElement | null>; take: (files: Iterable<File>) => void }) {
  return (
    <input
      ref={props.box}
      type="file"
      multiple
      hidden
      accept=".pdf,.txt,.md,application/pdf"
      onChange={(event) => {
        props.take(event.currentTarget.files ?? []);
        event.currentTarget.value = "";
      }}
    />
  );
}

interface DocumentsProps {
  shown: KnowledgeBase | undefined;
  typed: string;
  unlisted: RefObject<Set<number>>;
  duplicates: ReadonlySet<number>;
  chosen: Document[];
  setChosen: SetChosen;
  pick: () => void;
}

// So long after the last key the list is searched. Shorter asks the server per letter; longer feels slow.
const SEARCH_MS = 200;

/** What the knowledge base holds, or why nothing is listed. */
function Documents({ shown, typed, unlisted, duplicates, chosen, setChosen, pick }: DocumentsProps) {
  const texts = useTexts();
  const id = shown?.knowledge_base_id;
  const [search] = useDebouncedValue(typed.trim(), SEARCH_MS);
  const { query, all } = useListedDocuments(id, search, unlisted, setChosen);
  const ids = new Set(chosen.map((one) => one.document_id));
  const elsewhere = new Set(chosen.filter((one) => one.knowledge_base_id !== id).map((one) => one.sha256));
  const isTwice = (one: Document) => duplicates.has(one.document_id) || elsewhere.has(one.sha256);
  const put = (some: Document[], isOn: boolean) => {
    const touched = new Set(some.map((one) => one.document_id));
    setChosen((old) => [...old.filter((one) => !touched.has(one.document_id)), ...(isOn ? some : [])]);
  };
  if (!shown) return null;
  if (query.isPending) return <Loading lines={6} />;
  if (all.length > 0)
    return (
      <>
        {query.isError && <Failed error={query.error} again={() => void query.refetch()} />}
        <Selection documents={all} ids={ids} put={put} clear={() => setChosen([])} />
        <DocumentList documents={all} ids={ids} put={put} isTwice={isTwice} />
      </>
    );
  if (query.isError) return <Failed error={query.error} again={() => void query.refetch()} />;
  if (search !== "") return <p className="dim pad">{texts.setup.noMatch}</p>;
  return (
    <div className="drop-zone">
      <Empty icon="upload" title={texts.setup.noDocuments} how={texts.setup.noDocumentsHow}>
        <Button onClick={pick}>{texts.setup.upload}</Button>
      </Empty>
    </div>
  );
}
