// The worker's side of bench/stage.py, for Node. Counts are written every hundred items and every 10 ms: a system
// call per item would be the peer's loss.
const fs = require("node:fs");
const path = require("node:path");

const SENT = "x".repeat(50);
const payloads = (n) => Array.from({ length: n }, (_, i) => ({ i, s: SENT }));
const say = (figures) => console.log(JSON.stringify(figures));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const seconds = () => (performance.timeOrigin + performance.now()) / 1000;

class Stage {
  constructor(folder) {
    this.folder = folder;
    this.handled = 0;
    this.written = 0;
    this.counts = Buffer.alloc(16);
    this.fd = fs.openSync(path.join(folder, `${process.pid}.counts`), "w");
    fs.writeSync(this.fd, this.counts, 0, 16, 0);
    setInterval(() => this.write(), 10);
  }

  async waitForGo() {
    fs.writeFileSync(path.join(this.folder, `${process.pid}.ready`), "");
    while (!fs.existsSync(path.join(this.folder, "go"))) await sleep(2);
  }

  handle(payload) {
    if (payload.t !== undefined) {
      fs.appendFileSync(path.join(this.folder, `${process.pid}.latency`), `${seconds() - payload.t}\n`);
    }
    if (this.handled === 0) this.counts.writeDoubleLE(seconds(), 8);
    this.handled += 1;
    if (this.handled % 100 === 1) this.write();
    return { i: payload.i };
  }

  write() {
    if (this.handled === this.written) return;
    this.counts.writeBigUInt64LE(BigInt(this.handled), 0);
    fs.writeSync(this.fd, this.counts, 0, 16, 0);
    this.written = this.handled;
  }
}

module.exports = { Stage, payloads, say, sleep, seconds, SENT };
