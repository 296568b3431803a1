import { Badge, Checkbox, TextInput } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";
import type { Line, LiveState } from "./live";

const ROW = 22;

export function Log({ lines, state }: { lines: Line[]; state: LiveState }) {
  const texts = useTexts();
  const [filter, setFilter] = useState("");
  const [isFollowed, setFollowed] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const wanted = filter.toLowerCase();
  const whatOf = (line: Line) => texts.task.calling[line.what] ?? texts.task.counts[line.what] ?? line.what;
  const textOf = (line: Line) => `${line.file_name} ${whatOf(line)} ${texts.notice(line.detail)}`;
  const shown = wanted ? lines.filter((line) => textOf(line).toLowerCase().includes(wanted)) : lines;
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 20,
  });
  useEffect(() => {
    if (isFollowed && shown.length > 0) rows.scrollToIndex(shown.length - 1);
  }, [isFollowed, shown.length, rows]);
  return (
    <section className="card card-flush log" aria-label={texts.task.log}>
      <header className="log-head">
        <h2>{texts.task.log}</h2>
        <Badge size="sm" variant="dot" color={state === "live" ? "green" : state === "ended" ? "gray" : "orange"}>
          {texts.task[state]}
        </Badge>
        <span className="spacer" />
        <TextInput
          size="xs"
          aria-label={texts.task.logFilter}
          placeholder={texts.task.logFilter}
          leftSection={<Icon name="search" size={12} />}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <Checkbox
          size="xs"
          label={texts.task.follow}
          checked={isFollowed}
          onChange={(event) => setFollowed(event.currentTarget.checked)}
        />
      </header>
      <div ref={box} className="log-lines" role="log" tabIndex={0}>
        {shown.length === 0 && <p className="dim pad">{texts.task.logEmpty}</p>}
        <div style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map((item) => {
            const line = shown[item.index] as Line;
            const detail = texts.notice(line.detail);
            return (
              <div
                key={line.id + line.what}
                className={`log-line log-${line.what}`}
                style={{ transform: `translateY(${item.start}px)`, height: ROW }}
                title={detail}
              >
                <time>{new Date(line.at).toLocaleTimeString(undefined, { hour12: false })}</time>
                <span className="log-file">{line.file_name}</span>
                <b>{whatOf(line)}</b>
                <span>{detail}</span>
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}
