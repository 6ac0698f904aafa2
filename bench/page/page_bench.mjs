// node page_bench.mjs BUILD [SAMPLES [THREADS]]: how large the page of a large recording is, how soon its first picture stands
// in a headless Chromium, and how many frames a second it draws while it is zoomed and moved; with the processor time of a frame,
// all of the browser's processes together, which other work on the machine does not change. For reading, not for passing.
//   node page_bench.mjs BUILD FILE.html    the same of a page that is there
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { findChromium, startBrowser } = await import(pathToFileURL(join(here, "../../tests/page/browser.mjs")).href);
const build = resolve(process.argv[2]);
const given = process.argv[3]?.endsWith(".html") ? resolve(process.argv[3]) : null;
const samples = process.argv[3] ?? "10000000";
const threads = process.argv[4] ?? "64";
const kSpaces = "1000";
const kDwell = "20"; // samples in a row at one place
if (!findChromium()) {
  console.log("page_bench: Chromium is not installed (apt-get install chromium)");
  process.exit(0);
}
const work = mkdtempSync(join(tmpdir(), "kymo-page-bench-"));
const median = (list) => list.slice().sort((a, b) => a - b)[Math.floor(list.length / 2)];

function run(program, ...args) {
  const began = Date.now();
  const done = spawnSync(program, args, { encoding: "utf8" });
  if (done.status !== 0) {
    throw new Error(`${program}: ${done.stderr}`);
  }
  return (Date.now() - began) / 1000;
}

// Frames a second of `steps` drawings, each asked for on the frame after the last.
const frames = (steps, action) => `new Promise((done) => {
  const store = window.kymo.store;
  const times = [];
  let left = ${steps};
  const step = (now) => {
    times.push(now);
    if (left-- === 0) return done(times.slice(1).map((time, i) => time - times[i]));
    ${action};
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

const kFrames = 120;

try {
  const recording = join(work, "large.kymo");
  const page = given ?? join(work, "large.html");
  if (!given) {
    run(join(build, "bench", "generate_recording"), recording, samples, threads, kSpaces, kDwell);
    const made = run(join(build, "bin", "kymo"), "view", recording, "-o", page);
    console.log(`${samples} samples, ${threads} threads, ${kSpaces} spaces: made in ${made.toFixed(1)} s`);
  }
  console.log(`a page of ${(statSync(page).size / 1e6).toFixed(1)} MB`);
  for (const [width, height] of [[1280, 800], [1920, 1080], [3840, 2160]]) {
    const browser = await startBrowser(join(build, "web", "node_modules"), { width, height });
    const firsts = [];
    for (let i = 0; i < 3; i++) {
      await browser.open(page);
      firsts.push(await browser.evaluate("performance.getEntriesByName('kymo-first-picture')[0].startTime"));
    }
    const rates = {};
    for (const [what, action] of [
      ["zoom in", "store.zoom(0.97, (store.view.from + store.view.to) * 0.5)"],
      ["move", "store.pan(0.01)"],
      ["zoom out", "store.zoom(1.03, (store.view.from + store.view.to) * 0.5)"],
    ]) {
      const before = await browser.processorTime();
      const gaps = await browser.evaluate(frames(kFrames, action));
      const each = ((await browser.processorTime()) - before) / kFrames;
      const slow = gaps.slice().sort((a, b) => b - a)[Math.floor(kFrames / 10)];
      rates[what] = `${(1000 / median(gaps)).toFixed(0)} frames/s (slowest tenth ${(1000 / slow).toFixed(0)}; ${(1000 * each).toFixed(1)} ms of processor a frame)`;
    }
    console.log(`${width}x${height}: first picture after ${(median(firsts) / 1000).toFixed(2)} s; ${Object.entries(rates).map(([what, rate]) => `${what} ${rate}`).join(", ")}`);
    await browser.close();
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
