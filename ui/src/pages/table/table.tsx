import { Badge, Button, Popover, SegmentedControl, Select, Tabs, TextInput } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { useLocation, useNavigate, useParams, useSearchParams } from "react-router";
import { FILTERS, type Filter, MARKS, attentionByScope } from "../../api/judge";
import { useTask, useTaskTemplate } from "../../api/queries";
import { useResults } from "../../api/results";
import { SCOPES, type Scope, fieldsOf } from "../../api/template";
import { Icon } from "../../components/icon";
import { FlagMark, Mark, ReviewMark } from "../../components/mark";
import { Empty, Failed, Loading } from "../../components/states";
import { Steps, TaskState } from "../../components/task";
import { useLanguage, useTexts } from "../../texts";
import { Drawer } from "./drawer";
import { ExportMenu } from "./export";
import { Grid } from "./grid";
import { Keys } from "./keys";
import { type Place, columnsOf, fitsAt, isAt, matches, placeOf, placeText, rowsOf } from "./rows";
import { AcceptVerified, ReviewProgress } from "./whole";

export function TablePage() {
  const { texts, language } = useLanguage();
  const taskId = Number(useParams().taskId);
  const navigate = useNavigate();
  const isOpenedHere = (useLocation().state as { isOpenedHere?: boolean } | null)?.isOpenedHere === true;
  const [address, setAddress] = useSearchParams();
  const task = useTask(taskId);
  const template = useTaskTemplate(taskId);
  const query = useResults(task.data);
  const results = useMemo(() => query.data?.results ?? [], [query.data]);
  const [isHelp, setHelp] = useState(false);
  const searchBox = useRef<HTMLInputElement>(null);

  const typed = address.get("search") ?? "";
  const wanted = useDeferredValue(typed.trim().toLowerCase());
  const section = address.get("section") ?? "";
  const place = useMemo(() => placeOf(address.get("cell")), [address]);
  const only = address.get("document");
  const scopes = useMemo(
    () =>
      SCOPES.filter((scope) =>
        template.data?.sections.some((one) => one.fields.some((field) => field.scope === scope)),
      ),
    [template.data],
  );
  const scope = (scopes as string[]).includes(address.get("scope") ?? "")
    ? (address.get("scope") as Scope)
    : (scopes[0] ?? "study");
  const filter: Filter = FILTERS.find((one) => one === address.get("filter")) ?? "all";

  const put = useCallback(
    (change: Record<string, string | null>, isStep = false, state: unknown = null) =>
      setAddress(
        (old) => {
          const next = new URLSearchParams(old);
          for (const [name, value] of Object.entries(change)) {
            if (value === null) next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: !isStep, state },
      ),
    [setAddress],
  );

  const allColumns = useMemo(() => (template.data ? columnsOf(template.data, scope) : []), [template.data, scope]);
  const allRows = useMemo(() => rowsOf(results, scope), [results, scope]);
  const { rows, columns } = useMemo(() => {
    const inSection = section ? allColumns.filter((one) => one.section === section) : allColumns;
    const used = inSection.length > 0 ? inSection : allColumns;
    const some = allRows.filter(
      (row) =>
        (only === null || String(row.result.ordinal) === only) && (!wanted || matches(row, used, wanted, language)),
    );
    if (filter === "all") return { rows: some, columns: used };
    // What is open stays, also when a decision has made it fit no longer.
    return {
      rows: some.filter(
        (row) => isAt(place, row.result.ordinal, row.row) || used.some((column) => fitsAt(filter, row, column)),
      ),
      columns: used.filter(
        (column) => column.field.id === place?.field || some.some((row) => fitsAt(filter, row, column)),
      ),
    };
  }, [allColumns, allRows, section, wanted, filter, only, language, place]);

  const attention = useMemo(
    () =>
      attentionByScope(
        results,
        new Map(template.data ? fieldsOf(template.data).map((one) => [one.id, one.scope]) : []),
      ),
    [results, template.data],
  );
  const many = useMemo(() => new Map(scopes.map((one) => [one, rowsOf(results, one).length])), [results, scopes]);
  const open = useCallback((next: Place) => put({ cell: placeText(next) }, true, { isOpenedHere: true }), [put]);
  const step = useCallback(
    (next: Place) => put({ cell: placeText(next) }, false, { isOpenedHere }),
    [put, isOpenedHere],
  );
  const close = useCallback(() => {
    // Opening the drawer was a step of its own, unless the reader came by an address that had it open.
    if (isOpenedHere) void navigate(-1);
    else put({ cell: null });
  }, [navigate, put, isOpenedHere]);
  useHotkeys([
    ["shift+?", () => setHelp(true)],
    ["/", () => searchBox.current?.focus()],
  ]);

  if (task.isError)
    return (
      <Page>
        <Failed error={task.error} again={() => void task.refetch()} />
      </Page>
    );
  if (template.isError)
    return (
      <Page>
        <Failed error={template.error} again={() => void template.refetch()} />
      </Page>
    );
  if (!task.data || !template.data || query.isPending)
    return (
      <Page>
        <Loading lines={10} />
      </Page>
    );
  return (
    <div className="table-page">
      <div className="table-head">
        <Steps projectId={task.data.project_id} taskId={taskId} />
        <div className="table-title">
          <h1>
            {template.data.label[language]} <TaskState task={task.data} />
          </h1>
          <span className="spacer" />
          <ReviewProgress results={results} />
          <AcceptVerified task={task.data} rows={rows} columns={columns} />
          <Button
            variant="default"
            size="xs"
            className="with-keys"
            leftSection={<Icon name="help" />}
            onClick={() => setHelp(true)}
          >
            {texts.table.help} <kbd>?</kbd>
          </Button>
          <Legend />
          <ExportMenu
            task={task.data}
            template={template.data}
            results={results}
            isWhole={query.data?.isWhole === true}
          />
        </div>
        <Tabs value={scope} onChange={(value) => put({ scope: value, section: null, cell: null })}>
          <Tabs.List>
            {scopes.map((one) => (
              <Tabs.Tab key={one} value={one}>
                {texts.scopes[one]} <span className="dim">{many.get(one)}</span>
                {(attention.get(one) ?? 0) > 0 && (
                  <span className="attention tab-attention" title={texts.task.attention}>
                    <Icon name="flag" size={11} /> {attention.get(one)}
                  </span>
                )}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
        <div className="table-bar">
          <SegmentedControl
            size="xs"
            aria-label={texts.table.filter}
            value={filter}
            onChange={(value) => put({ filter: value === "all" ? null : value })}
            data={FILTERS.map((one) => ({
              value: one,
              label:
                one === "attention"
                  ? `${texts.table.filters[one]} (${attention.get(scope) ?? 0})`
                  : texts.table.filters[one],
            }))}
          />
          <Select
            size="xs"
            aria-label={texts.table.sections}
            value={section}
            allowDeselect={false}
            onChange={(value) => put({ section: value || null })}
            data={[
              { value: "", label: texts.table.allSections },
              ...template.data.sections
                .filter((one) => one.fields.some((field) => field.scope === scope))
                .map((one) => ({ value: one.id, label: one.label[language] })),
            ]}
          />
          <TextInput
            ref={searchBox}
            size="xs"
            className="table-search"
            aria-label={texts.table.search}
            placeholder={texts.table.search}
            leftSection={<Icon name="search" size={13} />}
            rightSection={<kbd>/</kbd>}
            value={typed}
            onChange={(event) => put({ search: event.currentTarget.value || null })}
          />
          {only !== null && (
            <Badge
              variant="light"
              className="document-badge"
              rightSection={
                <button
                  type="button"
                  className="badge-close"
                  aria-label={texts.table.showAll}
                  onClick={() => put({ document: null })}
                >
                  <Icon name="close" size={10} />
                </button>
              }
            >
              {results.find((one) => String(one.ordinal) === only)?.file_name ?? only}
            </Badge>
          )}
          <span className="spacer" />
          <span className="dim" role="status">
            {query.data && !query.data.isWhole ? `${texts.table.loadingRest} ` : ""}
            {texts.table.rows(rows.length, allRows.length)}
          </span>
        </div>
      </div>
      {query.isError && <Failed error={query.error} again={() => void query.refetch()} />}
      {rows.length === 0 || columns.length === 0 ? (
        <div className="table-empty">
          {results.every((one) => one.findings.length === 0) ? (
            <Empty icon="clock" title={texts.table.empty} how={texts.table.emptyHow} />
          ) : allRows.length === 0 ? (
            <Empty icon="table" title={texts.table.noRows} />
          ) : (filter === "attention" || filter === "unreviewed") && !wanted ? (
            <Empty
              icon="check"
              title={filter === "attention" ? texts.table.nothingToDo : texts.table.allReviewed}
              how={filter === "attention" ? texts.table.nothingToDoHow : undefined}
            >
              <Button variant="default" onClick={() => put({ filter: null })}>
                {texts.table.showAll}
              </Button>
            </Empty>
          ) : (
            <Empty icon="search" title={texts.table.noMatch}>
              <Button
                variant="default"
                onClick={() => put({ filter: null, search: null, section: null, document: null })}
              >
                {texts.table.showAll}
              </Button>
            </Empty>
          )}
        </div>
      ) : (
        <Grid
          key={scope}
          rows={rows}
          columns={columns}
          first={scope === "study" ? texts.task.document : texts.scopes[scope]}
          template={template.data}
          filter={filter}
          place={place}
          open={place ? step : open}
          drawer={(order) =>
            place && (
              <Drawer
                task={task.data}
                template={template.data}
                results={results}
                place={place}
                order={order}
                step={step}
                close={close}
                help={() => setHelp(true)}
              />
            )
          }
        />
      )}
      <Keys isOpen={isHelp} close={() => setHelp(false)} />
    </div>
  );
}

function Page({ children }: { children: React.ReactNode }) {
  return <div className="page page-wide">{children}</div>;
}

function Legend() {
  const texts = useTexts();
  return (
    <Popover position="bottom-end" shadow="md">
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<Mark name="verified" />}>
          {texts.table.legend}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ul className="legend">
          {MARKS.map((name) => (
            <li key={name}>
              <Mark name={name} size={14} /> {texts.table.marks[name]}
            </li>
          ))}
          <li>
            <FlagMark size={14} /> {texts.table.flagged}
          </li>
          {["accepted", "edited", "rejected"].map((action) => (
            <li key={action}>
              <ReviewMark action={action} isOutdated={false} size={15} /> {texts.review.reviewedMark}:{" "}
              {texts.review.actions[action]?.toLowerCase()}
            </li>
          ))}
          <li>
            <ReviewMark action="accepted" isOutdated size={15} /> {texts.review.outdatedMark}
          </li>
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
