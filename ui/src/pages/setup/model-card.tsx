import { Alert, Button, Code, NumberInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type Schemas, api } from "../../api/client";
import { useModel } from "../../api/queries";
import { Icon } from "../../components/icon";
import { Failed, Loading, Refusal } from "../../components/states";
import { useLanguage } from "../../texts";
import { CardTitle } from "./card-title";

const RUNGS = ["json_schema", "tools", "json_object", "plain"] as const;

interface Props {
  projectId: number;
  mayTest: boolean;
  cap: number | string;
  setCap: (cap: number | string) => void;
}

/** Who answers: the model with its price and a test of its connection, or our own rules. */
export function ModelCard({ projectId, mayTest, cap, setCap }: Props) {
  const { texts } = useLanguage();
  const model = useModel();
  const t = texts.setup;
  return (
    <section className="card" aria-label={t.modelTitle}>
      <CardTitle number={4} title={t.modelTitle} />
      {model.isPending && <Loading lines={2} height={44} />}
      {model.isError && <Failed error={model.error} again={() => void model.refetch()} />}
      {model.data && model.data.model === null && (
        <div className="model">
          <ModelName name={t.embeddedName} more={t.embeddedHow} />
          <p className="dim model-how">
            {t.embeddedSet} <Code>INGATHER_LLM_BASE_URL</Code> <Code>INGATHER_LLM_MODEL</Code>{" "}
            <Code>INGATHER_LLM_API_KEY</Code>
          </p>
        </div>
      )}
      {model.data && model.data.model !== null && (
        <div className="model">
          <ModelName
            name={model.data.model}
            more={[t.modelAt(model.data.host ?? ""), model.data.at_once === null ? "" : t.atOnce(model.data.at_once)]
              .filter(Boolean)
              .join(" · ")}
          />
          <div className="model-columns">
            <div>
              <Price price={model.data.price} />
              <Test projectId={projectId} mayTest={mayTest} />
            </div>
            <NumberInput
              label={model.data.price ? t.capIn(model.data.price.currency) : t.cap}
              description={model.data.price ? t.capHint : t.capUnknown}
              value={model.data.price ? cap : ""}
              onChange={setCap}
              min={0}
              max={1_000_000}
              decimalScale={4}
              disabled={model.data.price === null}
              hideControls
            />
          </div>
        </div>
      )}
    </section>
  );
}

function ModelName({ name, more }: { name: string; more: string }) {
  return (
    <div className="model-name">
      <Icon name="engine" size={20} />
      <div>
        <b>{name}</b>
        <span className="dim">{more}</span>
      </div>
    </div>
  );
}

function Price({ price }: { price: Schemas["Price"] | null }) {
  const { texts } = useLanguage();
  if (!price) return <p className="dim">{texts.setup.priceUnknown}</p>;
  return <p className="dim">{texts.setup.priceKnown(price.input, price.output, price.currency, price.as_of)}</p>;
}

function Test({ projectId, mayTest }: { projectId: number; mayTest: boolean }) {
  const { texts, language } = useLanguage();
  const t = texts.setup;
  const test = useMutation({
    mutationFn: () => api.post("/api/v1/extraction/model/test", { body: { project_id: projectId } }),
  });
  const found = test.data;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        mt="xs"
        loading={test.isPending}
        disabled={!mayTest}
        leftSection={<Icon name="target" size={14} />}
        onClick={() => test.mutate()}
      >
        {t.test}
      </Button>
      <div role="status" className="model-test">
        {found?.is_usable && (
          <Alert color="green" variant="light" icon={<Icon name="check" />} p="xs">
            <p className="plain">{language === "en" ? found.sentence.message : t.rungFound[found.rung ?? ""]}</p>
            <p className="ladder" aria-label={t.ladder}>
              {RUNGS.map((rung) => (
                <span
                  key={rung}
                  className={rung === found.rung ? "rung rung-here" : "rung"}
                  aria-current={rung === found.rung}
                >
                  {t.rungs[rung]}
                </span>
              ))}
            </p>
            <p className="dim">{t.testTook(found.calls, found.took_s.toFixed(1))}</p>
          </Alert>
        )}
        {found && !found.is_usable && (
          <Alert color="red" variant="light" icon={<Icon name="warning" />} p="xs" title={t.testFailed}>
            <p className="plain">{texts.notice(found.sentence)}</p>
          </Alert>
        )}
      </div>
      <Refusal error={test.error} />
    </>
  );
}
