import { Button } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useNavigate } from "react-router";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";
import { asPng, download } from "./picture";

/** A drawing of the server. What stands for a cell of the table leads there, by mouse and by keyboard. */
export function Drawing({ svg, name, taskId }: { svg: string; name: string; taskId: number }) {
  const texts = useTexts();
  const place = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  useEffect(() => {
    const open = (event: Event) => {
      if (event instanceof KeyboardEvent && event.key !== "Enter") return;
      const cell = (event.currentTarget as Element).getAttribute("data-cell") ?? "";
      void navigate(`/tasks/${taskId}/table?${new URLSearchParams({ scope: scopeOf(cell), cell })}`);
    };
    for (const group of place.current?.querySelectorAll("[data-cell]") ?? []) {
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "link");
      group.addEventListener("click", open);
      group.addEventListener("keydown", open);
    }
  }, [svg, taskId, navigate]);
  return (
    <figure className="drawing">
      {/* Made by our own server, which writes every text of it as text. */}
      <div
        ref={place}
        // oxlint-disable-next-line react/no-danger
        dangerouslySetInnerHTML={{ __html: svg }}
      />
      <figcaption>
        <Button size="compact-xs" variant="default" onClick={() => download(`${name}.svg`, svg, "image/svg+xml")}>
          <Icon name="download" size={12} /> SVG
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => void asPng(svg, `${name}.png`)}>
          <Icon name="download" size={12} /> PNG
        </Button>
        <span className="dim">{texts.analysis.follow}</span>
      </figcaption>
    </figure>
  );
}

/** `0~arm_result/2~r_events` stands in the rows of the scope `arm_result`. */
const scopeOf = (cell: string) => cell.split("~")[1]?.split("/")[0] || "study";
