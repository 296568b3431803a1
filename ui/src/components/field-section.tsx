import { Accordion, Checkbox } from "@mantine/core";
import type { ReactNode } from "react";
import { useTexts } from "../texts";

interface Props {
  id: string;
  name: string;
  chosen: number;
  total: number;
  /** All of the section's fields are chosen, or none. */
  chooseAll: (isOn: boolean) => void;
  children: ReactNode;
}

/** A section of fields to choose from, within an accordion: how many are chosen, a box for all of them, a line each. */
export function FieldSection({ id, name, chosen, total, chooseAll, children }: Props) {
  const texts = useTexts();
  return (
    <Accordion.Item value={id}>
      <Accordion.Control>
        <span className="fields-head">
          {name}
          <span className="dim">{texts.setup.selected(chosen, total)}</span>
        </span>
      </Accordion.Control>
      <Accordion.Panel>
        <Checkbox
          size="xs"
          label={texts.setup.selectAll}
          checked={chosen === total}
          indeterminate={chosen > 0 && chosen < total}
          onChange={(event) => chooseAll(event.currentTarget.checked)}
        />
        <ul className="field-list">{children}</ul>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
