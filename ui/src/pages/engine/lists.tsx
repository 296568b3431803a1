import { Badge, Button, Code } from "@mantine/core";
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, whole } from "../../api/client";
import { Icon, type IconName } from "../../components/icon";
import { Empty, Failed, Loading, Refusal } from "../../components/states";
import { count, moment, useLanguage, useTexts } from "../../texts";

interface ListProps<T> {
  query: UseQueryResult<T[]>;
  name: string;
  icon: IconName;
  empty: string;
  how: ReactNode;
  heads: string[];
  row: (one: T) => ReactNode;
}

function List<T>({ query, name, icon, empty, how, heads, row }: ListProps<T>) {
  const { texts } = useLanguage();
  if (query.isPending) return <Loading />;
  if (query.isError) return <Failed error={query.error} again={() => void query.refetch()} />;
  if (query.data.length === 0)
    return (
      <div className="card">
        <Empty icon={icon} title={empty} how={how} />
      </div>
    );
  return (
    <div className="card card-flush" role="region" aria-label={name} tabIndex={0}>
      <table className="list">
        <thead>
          <tr>
            {heads.map((head, at) => (
              <th key={at}>{head || <span className="unseen">{texts.engine.actions}</span>}</th>
            ))}
          </tr>
        </thead>
        <tbody>{query.data.map(row)}</tbody>
      </table>
    </div>
  );
}

/** Pauses and resumes a queue or a schedule by its name. */
function useSteering(things: "queues" | "schedules") {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (params: { name: string; verb: "pause" | "resume" }) =>
      api.post(`/api/v1/engine/${things}/{name}/{verb}`, { path: { ...params } }),
    onSettled: () => client.invalidateQueries({ queryKey: [things] }),
  });
}

interface SteerProps {
  one: { name: string; paused: boolean };
  steer: ReturnType<typeof useSteering>;
}

function SteerButton({ one, steer }: SteerProps) {
  const t = useTexts().engine;
  return (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() => steer.mutate({ name: one.name, verb: one.paused ? "resume" : "pause" })}
    >
      {one.paused ? t.resume : t.pause}
    </Button>
  );
}

function Paused({ isPaused, texts }: { isPaused: boolean; texts: { paused: string; works: string } }) {
  return (
    <Badge
      variant="light"
      color={isPaused ? "orange" : "green"}
      leftSection={<Icon name={isPaused ? "pause" : "check"} size={10} />}
    >
      {isPaused ? texts.paused : texts.works}
    </Badge>
  );
}

export function Queues({ mayAct }: { mayAct: boolean }) {
  const { texts, language } = useLanguage();
  const queues = useQuery({
    queryKey: ["queues"],
    queryFn: ({ signal }) =>
      whole(
        (after) => api.get("/api/v1/engine/queues", { query: { after }, signal }),
        (page) => page.queues,
      ),
    refetchInterval: 3_000,
  });
  const steer = useSteering("queues");
  const t = texts.engine;
  return (
    <>
      <Refusal error={steer.error} />
      <List
        query={queues}
        name={t.queues}
        icon="engine"
        empty={t.noQueues}
        how={t.noQueuesHow}
        heads={[t.queue, t.waiting, t.running, t.limit, t.rate, t.state, ""]}
        row={(queue) => (
          <tr key={queue.name}>
            <td>
              <code>{queue.name}</code>
            </td>
            <td>{count(queue.pending)}</td>
            <td>{count(queue.running)}</td>
            <td>{queue.max_running ?? t.noLimit}</td>
            <td>{queue.rate_items === null ? t.noLimit : t.perWindow(queue.rate_items, queue.rate_window_s ?? 0)}</td>
            <td>
              <Paused isPaused={queue.paused} texts={t} />
              {queue.blocked_until && (
                <span className="dim"> {t.blockedUntil(moment(queue.blocked_until, language))}</span>
              )}
            </td>
            <td className="cell-end">{mayAct && <SteerButton one={queue} steer={steer} />}</td>
          </tr>
        )}
      />
    </>
  );
}

export function Workers() {
  const { texts, language } = useLanguage();
  const workers = useQuery({
    queryKey: ["workers"],
    queryFn: ({ signal }) =>
      whole(
        (after) => api.get("/api/v1/engine/workers", { query: { after }, signal }),
        (page) => page.workers,
      ),
    refetchInterval: 3_000,
  });
  const t = texts.engine;
  return (
    <List
      query={workers}
      name={t.workers}
      icon="person"
      empty={t.noWorkers}
      how={
        <>
          {t.noWorkersHow} <Code>ingather work ingather.workbench:app</Code>
        </>
      }
      heads={["#", t.host, t.worksOn, t.running, t.since, t.lastBeat, t.state]}
      row={(worker) => {
        // The server's clock and ours may differ a little; a lease's length is the measure of silence.
        const isSilent = Date.now() - Date.parse(worker.beat_at) > 1_000 * worker.lease_s;
        return (
          <tr key={worker.worker_id}>
            <td>{worker.worker_id}</td>
            <td>
              {worker.host} <span className="dim">{t.process(worker.pid)}</span>
            </td>
            <td>
              {worker.kinds.map((kind) => (
                <code key={kind} className="tag">
                  {kind}
                </code>
              ))}
            </td>
            <td>{worker.running}</td>
            <td className="dim">{moment(worker.started_at, language)}</td>
            <td className="dim">{moment(worker.beat_at, language)}</td>
            <td>
              <Badge
                variant="light"
                color={isSilent ? "red" : "green"}
                leftSection={<Icon name={isSilent ? "warning" : "check"} size={10} />}
              >
                {isSilent ? t.silent : t.alive}
              </Badge>
            </td>
          </tr>
        );
      }}
    />
  );
}

export function Schedules({ mayAct }: { mayAct: boolean }) {
  const { texts, language } = useLanguage();
  const schedules = useQuery({
    queryKey: ["schedules"],
    queryFn: ({ signal }) =>
      whole(
        (after) => api.get("/api/v1/engine/schedules", { query: { after }, signal }),
        (page) => page.schedules,
      ),
    refetchInterval: 5_000,
  });
  const steer = useSteering("schedules");
  const t = texts.engine;
  return (
    <>
      <Refusal error={steer.error} />
      <List
        query={schedules}
        name={t.schedules}
        icon="clock"
        empty={t.noSchedules}
        how={t.noSchedulesHow}
        heads={[t.name, t.kind, t.cron, t.timezone, t.nextAt, t.lastAt, t.state, ""]}
        row={(one) => (
          <tr key={one.name}>
            <td>{one.name}</td>
            <td>
              <code>{one.kind}</code>
            </td>
            <td>
              <code>{one.cron}</code>
            </td>
            <td>{one.timezone}</td>
            <td>{moment(one.next_at, language)}</td>
            <td className="dim">{moment(one.last_at, language)}</td>
            <td>
              <Paused isPaused={one.paused} texts={t} />
            </td>
            <td className="cell-end">{mayAct && <SteerButton one={one} steer={steer} />}</td>
          </tr>
        )}
      />
    </>
  );
}
