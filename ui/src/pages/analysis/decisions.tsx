import { Checkbox, NumberInput, SegmentedControl } from "@mantine/core";
import type { Choices } from "../../api/analysis";
import { useTexts } from "../../texts";

export type Chosen = Required<Omit<Choices, "language">>;

interface Props {
  chosen: Chosen;
  onChange: (chosen: Chosen) => void;
}

/** What the analyst decides: which answers count, how shared groups are counted, and a correlation for changes. */
export function Decisions({ chosen, onChange }: Props) {
  const texts = useTexts();
  const t = texts.analysis;
  return (
    <div className="choices">
      <Checkbox
        size="xs"
        label={texts.exports.onlyReviewed}
        checked={chosen.isOnlyReviewed}
        onChange={(event) => onChange({ ...chosen, isOnlyReviewed: event.currentTarget.checked })}
      />
      <div className="choice">
        <span id="shared-groups">{t.shared}</span>
        <SegmentedControl
          size="xs"
          aria-labelledby="shared-groups"
          value={chosen.shared}
          onChange={(value) => onChange({ ...chosen, shared: value === "combine" ? "combine" : "split" })}
          data={[
            { value: "split", label: t.split },
            { value: "combine", label: t.combine },
          ]}
        />
      </div>
      <NumberInput
        size="xs"
        label={t.correlation}
        description={t.correlationHow}
        min={-1}
        max={1}
        step={0.1}
        decimalScale={3}
        clampBehavior="strict"
        value={chosen.correlation}
        onChange={(value) => onChange({ ...chosen, correlation: typeof value === "number" ? value : "" })}
      />
    </div>
  );
}
