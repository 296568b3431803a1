import { Button, Select, TextInput, Tooltip } from "@mantine/core";
import type { KnowledgeBase } from "../../api/client";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";

interface Props {
  all: KnowledgeBase[];
  shown: KnowledgeBase;
  show: (id: number) => void;
  make: () => void;
  search: string;
  setSearch: (search: string) => void;
  upload: () => void;
}

/** Which knowledge base is shown, a new one, a search in it, and files for it. */
export function DocumentsBar({ all, shown, show, make, search, setSearch, upload }: Props) {
  const t = useTexts().setup;
  return (
    <div className="documents-bar">
      <Select
        aria-label={t.knowledgeBase}
        data={all.map((one) => ({ value: String(one.knowledge_base_id), label: `${one.name} (${one.documents})` }))}
        value={String(shown.knowledge_base_id)}
        onChange={(value) => value && show(Number(value))}
        allowDeselect={false}
      />
      <Tooltip label={t.newKnowledgeBase}>
        <Button variant="default" px="sm" aria-label={t.newKnowledgeBase} onClick={make}>
          <Icon name="plus" />
        </Button>
      </Tooltip>
      <TextInput
        className="grow"
        placeholder={t.search}
        aria-label={t.search}
        leftSection={<Icon name="search" />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        maxLength={200}
      />
      <Button leftSection={<Icon name="upload" />} variant="light" onClick={upload}>
        {t.upload}
      </Button>
    </div>
  );
}
