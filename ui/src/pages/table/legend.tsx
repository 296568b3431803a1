import { Button, Popover } from "@mantine/core";
import { useState } from "react";
import { MARKS } from "../../api/judge";
import { useHoldKeys } from "../../components/keys";
import { FlagMark, Mark, ReviewMark } from "../../components/mark";
import { useTexts } from "../../texts";

export function Legend() {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  useHoldKeys(isOpen);
  return (
    <Popover position="bottom-end" shadow="md" opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<Mark name="verified" />} onClick={() => setOpen(!isOpen)}>
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
