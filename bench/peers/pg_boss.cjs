// pg-boss: inserts of 5,000; batches of a thousand, fetched and completed by several loops side by side, as its workers
// with `localConcurrency` do. All jobs of a batch are given one result: a result for each would take longer.
const loaded = require("pg-boss");
const { Stage, payloads, say, sleep, seconds, SENT } = require("./stage.cjs");

const PgBoss = loaded.PgBoss ?? loaded.default ?? loaded;
const PAGE = 5000;
const LOOPS = 3;

async function main(command, url, ...args) {
  const boss = new PgBoss({ connectionString: url, max: 10, schedule: false });
  boss.on("error", console.error);
  await boss.start();
  if (command === "prepare") {
    await boss.createQueue("noop");
  } else if (command === "enqueue") {
    const jobs = payloads(Number(args[0]));
    const began = performance.now();
    for (let start = 0; start < jobs.length; start += PAGE) {
      const page = jobs.slice(start, start + PAGE);
      await boss.insert("noop", page.map((data) => ({ data })));
    }
    say({ seconds: (performance.now() - began) / 1000 });
  } else if (command === "work") {
    const stage = new Stage(args[0]);
    await stage.waitForGo();
    const loop = async () => {
      for (;;) {
        const jobs = await boss.fetch("noop", { batchSize: Number(args[1]) });
        if (!jobs || jobs.length === 0) {
          await sleep(5);
          continue;
        }
        const done = jobs.map((job) => stage.handle(job.data));
        await boss.complete("noop", jobs.map((job) => job.id), done[0]);
      }
    };
    await Promise.all(Array.from({ length: LOOPS }, loop));
  } else if (command === "submit") {
    for (let i = 0; i < Number(args[0]); i += 1) {
      await boss.send("noop", { i, s: SENT, t: seconds() });
      await sleep(1000 * Number(args[1]));
    }
  }
}

main(...process.argv.slice(2)).then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
