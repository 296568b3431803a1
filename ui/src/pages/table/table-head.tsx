import { Badge, Button, SegmentedControl, Select, Tabs, TextInput } from "@mantine/core";
import type { RefObject } from "react";
import type { Result, Task } from "../../api/client";
import { FILTERS } from "../../api/judge";
import type { Present } from "../../api/people";
import type { Template } from "../../api/template";
import { Icon } from "../../components/icon";
import { Steps, TaskState } from "../../components/task";
import { count, useLanguage, useTexts } from "../../texts";
import { ExportMenu } from "./export";
import { Legend } from "./legend";
import type { Address, View } from "./use-view";
import { ReviewLinks } from "../two-reviewers/review-pages";
import { PresentPeople } from "./present";
import { AcceptVerified, ReviewProgress } from "./whole";

interface Props {
  task: Task;
  template: Template;
  results: Result[];
  isWhole: boolean;
  address: Address;
  view: View;
  help: () => void;
  searchBox: RefObject<HTMLInputElement | null>;
  present: Present[];
}

export function TableHead({ task, template, results, isWhole, address, view, help, searchBox, present }: Props) {
  const { texts, language } = useLanguage();
  return (
    <div className="table-head">
      <Steps projectId={task.project_id} taskId={task.task_id} />
      <div className="table-title">
        <h1>
          {template.label[language]} <TaskState task={task} />
        </h1>
        <PresentPeople present={present} template={template} />
        <span className="spacer" />
        <ReviewLinks task={task} />
        <ReviewProgress results={results} />
        <AcceptVerified task={task} rows={view.rows} columns={view.columns} />
        <Button variant="default" size="xs" className="with-keys" leftSection={<Icon name="help" />} onClick={help}>
          {texts.table.help} <kbd>?</kbd>
        </Button>
        <Legend />
        <ExportMenu task={task} results={results} isWhole={isWhole} />
      </div>
      <ScopeTabs view={view} choose={(scope) => address.put({ scope, section: null, cell: null })} />
      <div className="table-bar">
        <Filters template={template} address={address} view={view} />
        <Search address={address} box={searchBox} />
        <DocumentBadge results={results} address={address} />
        <span className="spacer" />
        <span className="dim" role="status">
          {isWhole ? "" : `${texts.table.loadingRest} `}
          {texts.table.rows(view.rows.length, view.all)}
        </span>
      </div>
    </div>
  );
}

function ScopeTabs({ view, choose }: { view: View; choose: (scope: string | null) => void }) {
  const texts = useTexts();
  return (
    <Tabs value={view.scope} onChange={choose}>
      <Tabs.List>
        {view.scopes.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {texts.scopes[one]} <span className="dim">{count(view.sizes.get(one) ?? 0)}</span>
            {(view.attention.get(one) ?? 0) > 0 && (
              <span className="attention tab-attention" title={texts.task.attention}>
                <Icon name="flag" size={11} /> {count(view.attention.get(one) ?? 0)}
              </span>
            )}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}

function Filters({ template, address, view }: { template: Template; address: Address; view: View }) {
  const { texts, language } = useLanguage();
  const sections = template.sections.filter((one) => one.fields.some((field) => field.scope === view.scope));
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={texts.table.filter}
        value={address.filter}
        onChange={(value) => address.put({ filter: value === "all" ? null : value })}
        data={FILTERS.map((one) => ({
          value: one,
          label:
            one === "attention"
              ? `${texts.table.filters[one]} (${count(view.attention.get(view.scope) ?? 0)})`
              : one === "unbound"
                ? `${texts.table.filters[one]} (${count(view.unbound)})`
                : texts.table.filters[one],
        }))}
      />
      <Select
        size="xs"
        aria-label={texts.table.sections}
        value={address.section}
        allowDeselect={false}
        onChange={(value) => address.put({ section: value || null })}
        data={[
          { value: "", label: texts.table.allSections },
          ...sections.map((one) => ({ value: one.id, label: one.label[language] })),
        ]}
      />
    </>
  );
}

function Search({ address, box }: { address: Address; box: RefObject<HTMLInputElement | null> }) {
  const texts = useTexts();
  return (
    <TextInput
      ref={box}
      size="xs"
      className="table-search"
      aria-label={texts.table.search}
      placeholder={texts.table.search}
      leftSection={<Icon name="search" size={13} />}
      rightSection={<kbd>/</kbd>}
      value={address.search}
      onChange={(event) => address.put({ search: event.currentTarget.value || null })}
    />
  );
}

function DocumentBadge({ results, address }: { results: Result[]; address: Address }) {
  const texts = useTexts();
  if (address.document === null) return null;
  const close = (
    <button
      type="button"
      className="badge-close"
      aria-label={texts.table.showAll}
      onClick={() => address.put({ document: null })}
    >
      <Icon name="close" size={10} />
    </button>
  );
  return (
    <Badge variant="light" className="document-badge" rightSection={close}>
      {results.find((one) => String(one.ordinal) === address.document)?.file_name ?? address.document}
    </Badge>
  );
}
