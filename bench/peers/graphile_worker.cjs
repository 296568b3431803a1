// Graphile Worker: one statement to insert; a local queue and completions in batches, as its page on performance says.
process.env.NO_LOG_SUCCESS = "1"; // read when it is loaded
const { makeWorkerUtils, run } = require("graphile-worker");
const { Pool } = require("pg");
const { Stage, payloads, say, sleep, seconds, SENT } = require("./stage.cjs");

const ADD = `select count(*) from graphile_worker.add_jobs(
  array(select json_populate_recordset(null::graphile_worker.job_spec, $1::json)))`;

async function main(command, url, ...args) {
  const pgPool = new Pool({ connectionString: url, max: 25 });
  if (command === "prepare") {
    const utils = await makeWorkerUtils({ pgPool });
    await utils.migrate();
    await utils.release();
  } else if (command === "enqueue") {
    await pgPool.query("select 1");
    const jobs = payloads(Number(args[0])).map((payload) => ({ identifier: "noop", payload }));
    const began = performance.now();
    await pgPool.query(ADD, [JSON.stringify(jobs)]);
    say({ seconds: (performance.now() - began) / 1000 });
  } else if (command === "work") {
    const stage = new Stage(args[0]);
    await stage.waitForGo();
    const runner = await run({
      pgPool,
      taskList: { noop: (payload) => void stage.handle(payload) },
      preset: {
        worker: {
          concurrentJobs: Number(args[1]),
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
      logger: new (require("graphile-worker").Logger)(() => () => {}),
    });
    await runner.promise;
    return;
  } else if (command === "submit") {
    const utils = await makeWorkerUtils({ pgPool });
    for (let i = 0; i < Number(args[0]); i += 1) {
      await utils.addJob("noop", { i, s: SENT, t: seconds() });
      await sleep(1000 * Number(args[1]));
    }
    await utils.release();
  }
  await pgPool.end();
}

main(...process.argv.slice(2)).then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
