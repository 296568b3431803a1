import { Radio, Stack } from "@mantine/core";
import { useTexts } from "../../texts";
import type { Only } from "./use-follow-up";

const CHOICES: Only[] = ["", "failed", "missing"];

/** Which cells without an answer are asked again, whatever their field. */
export function OpenCard({ only, setOnly }: { only: Only; setOnly: (only: Only) => void }) {
  const t = useTexts().followUp;
  return (
    <section className="card">
      <Radio.Group label={<h2>{t.openTitle}</h2>} value={only} onChange={setOnly}>
        <Stack gap="xs" mt="xs">
          {CHOICES.map((one) => (
            <Radio key={one} size="xs" value={one} label={t.open[one]} />
          ))}
        </Stack>
      </Radio.Group>
    </section>
  );
}
