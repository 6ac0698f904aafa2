// node test_page.mjs BUILD PART: the page in a real browser.
//
//   sources  web/ is type-checked and formatted
//   kinds    every view opens on every kind of recording, in both themes, without a word on the console
//   links    brushing, choosing, keys and the address lead all views; the address brings back what was seen
//   channels who sent what to whom
//   memory   the memory of processes over time
//   metrics  what happened over time, by thread, process and rank
//   patterns events that tell patterns apart, and all others
//   search   finding names: keys, counts, marks in all views
//   flames   the flame graph: orders, hiding and merging, keys alone
//   lines    source lines of the program's own code, whole files, links to editors
//   gaps     gaps and same spaces; views that have nothing to show
//   address_map  the address map over time: what was read, what is not known between
//   files    views saved as PNG and SVG, print, words for pictures, colours for every kind of colour vision
//   hostile  names and texts from recordings are shown, and nothing in them runs or is fetched
//   banner   verdict and quality of the recording (layout.mjs)
//   cards    five findings fit, a click opens one (layout.mjs)
//   panes    separators, folded panes, panes alone (layout.mjs)
//   rows     rows of threads: folded, pinned, a part of thousands (layout.mjs)
//   ranks    many ranks, folded by host (layout.mjs)
//   tips     boxes beside the pointer, the occurrence plot, the legend (layout.mjs)
//   keyboard the whole page by keys alone (keyboard.mjs)
//   readable no text is cut, over another or too faint, in every view, size and theme (readable.mjs)
//   picture  a recording of which every pixel is known
//   compared the page of two recordings: every kind of them, and what its buttons do
//   look     kymo view --serve of a large recording: a first look, then the whole (served.mjs)
//   served   kymo view --serve: more detail of a part, the whole again, a program that still runs (served.mjs)
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, startBrowser } from "./browser.mjs";
import * as layout from "./layout.mjs";
import * as addressMap from "./address_map.mjs";
import { keyboard } from "./keyboard.mjs";
import { readable } from "./readable.mjs";
import * as serving from "./served.mjs";

const [buildFolder, part] = process.argv.slice(2);
const build = resolve(buildFolder);
const here = dirname(fileURLToPath(import.meta.url));
const modules = join(build, "web", "node_modules");
const work = mkdtempSync(join(tmpdir(), "kymo-page-"));
const kTabs = ["paths", "functions", "source", "occurrences", "patterns", "waits", "heavy", "gaps", "address_map"];
let failures = 0;
let checks = 0;

function check(what, good, seen = "") {
  checks++;
  failures += good ? 0 : 1;
  console.log(`${good ? "ok" : "FAILED"}: ${what}${seen === "" ? "" : `: ${seen}`}`);
}

function skip(why) {
  console.log(`skipped: ${why}`);
  rmSync(work, { recursive: true, force: true });
  process.exit(77);
}

function run(program, ...args) {
  const done = spawnSync(program, args, { cwd: work, encoding: "utf8", timeout: 200000 });
  if (done.status !== 0) {
    throw new Error(`${program} ${args.join(" ")} ended with ${done.status}: ${done.stderr}${done.stdout}${done.error ?? ""}`.slice(0, 2000));
  }
  return done.stdout;
}

const kymo = join(build, "bin", "kymo");

function made() {
  run(join(build, "tests", "page_recordings"), work);
}

function page(name, ...options) {
  run(kymo, "view", join(work, `${name}.kymo`), "-o", join(work, `${name}.html`), ...options);
  return join(work, `${name}.html`);
}

// The page of a recording of tests/replay.
function stored(name, ...options) {
  const recordings = join(here, "..", "replay", "recordings");
  for (const one of [name, "images"]) {
    run("tar", "-C", work, "-xf", join(recordings, `${one}.tar.xz`));
  }
  return page(name, "--images", join(work, "images"), "--only-images", ...options);
}

// ---- parts ----

function sources() {
  const web = join(here, "..", "..", "web");
  // The packages lie in the build folder, the sources here: look at a copy.
  const copy = join(work, "web");
  run("cp", "-r", web, copy);
  rmSync(join(copy, "node_modules"), { recursive: true, force: true });
  run("ln", "-s", modules, join(copy, "node_modules"));
  for (const [what, ...command] of [
    ["web/ is well typed", join(modules, ".bin", "tsc"), "--noEmit", "-p", copy],
    ["web/ is formatted", join(modules, ".bin", "prettier"), "--check", copy],
  ]) {
    const done = spawnSync(command[0], command.slice(1), { cwd: copy, encoding: "utf8" });
    check(what, done.status === 0, done.status === 0 ? "" : done.stdout + done.stderr);
  }
}

async function kinds(browser) {
  made();
  const demo = join(build, "bin", "kymo-demo");
  const recorded = [
    ["demo", demo, "--rounds", "4"],
    ["processes", "/bin/sh", "-c", `"${demo}" --rounds 2 & "${demo}" --rounds 2; wait`],
  ];
  for (const [name, ...more] of [["waits_lock"], ["children", "threads"], ["channels", work]]) {
    const program = join(build, "tests", "programs", name);
    if (existsSync(program)) {
      recorded.push([name, program, ...more]);
    }
  }
  for (const [name, ...command] of recorded) {
    // Some of these programs end with a status of their own; the recording is what counts.
    const done = spawnSync(kymo, ["record", "-o", join(work, `${name}.kymo`), "--", ...command], { cwd: work, encoding: "utf8", timeout: 200000 });
    check(`${name} was recorded`, existsSync(join(work, `${name}.kymo`)), done.stderr.trim().split("\n").pop());
  }
  const names = ["empty", "one", "thousand", "halves", "many", "ranks", "hunted", ...recorded.map(([name]) => name)];
  for (const name of names) {
    const path = page(name);
    for (const [theme, rows] of [["dark", "path"], ["light", "address"], ["dark", "function"]]) {
      const tabs = name === "channels" ? [...kTabs, "channels"] : kTabs;
      for (const tab of rows === "path" ? tabs : ["paths"]) {
        browser.said.length = 0;
        await browser.open(path, `theme=${theme}&rows=${rows}&tab=${tab}&lanes=${rows === "path" ? "state" : "code.3"}`);
        const shown = await browser.evaluate(`({
          tab: document.querySelector('[role=tab][aria-selected=true]')?.id,
          panel: document.querySelector('.panels').firstElementChild !== null,
          rows: document.querySelectorAll('.kymograph .row').length,
          threads: document.querySelectorAll('.threads .row').length,
          wide: document.documentElement.scrollWidth <= innerWidth,
          tall: Math.max(...[...document.querySelectorAll('canvas')].map((canvas) => canvas.height)) <= innerHeight * devicePixelRatio,
        })`);
        const good = shown.tall && shown.tab === `tab-${tab}` && shown.panel && shown.threads > 0 && shown.wide && (shown.rows > 0 || name === "empty" || name === "hunted");
        check(`${name}: ${tab}, rows by ${rows}, ${theme}`, good && browser.said.length === 0, good ? browser.said.join("; ") : JSON.stringify(shown));
      }
    }
  }
  for (const name of ["one", "thousand", "demo"]) {
    const { size } = statSync(join(work, `${name}.html`));
    check(`${name}: the page is below 1 MB`, size < 1e6, `${size} bytes`);
  }
  await follows(browser, join(work, "demo.html"));
  const done = spawnSync(kymo, ["view", join(work, "one.kymo"), "-o", join(work, "one.html")], { encoding: "utf8" });
  check("a page that is there is not written over", done.status === 5, done.stderr.split("\n")[0]);
  for (const range of ["1", "2..1", "a..b", "..", "-1..2", "5..6"]) {
    const refused = spawnSync(kymo, ["view", join(work, "one.kymo"), `--range=${range}`, "-o", join(work, "x.html")], { encoding: "utf8" });
    check(`--range ${range} is refused`, refused.status === 2 && /range/.test(refused.stderr), refused.stderr.split("\n")[0]);
  }
}

// Who sent what to whom is in the matrix and the list; a cell chooses the threads of both.
async function channels(browser) {
  const program = join(build, "tests", "programs", "channels");
  run(kymo, "record", "-q", "-o", join(work, "channels.kymo"), "--", program, work);
  const path = page("channels");
  await browser.open(path, "tab=channels");
  const seen = await browser.evaluate(`({
    cells: [...document.querySelectorAll('.matrix td[title]')].map((cell) => cell.title),
    pairs: document.querySelectorAll('.panels .column:last-child tbody tr').length,
    whole: location.hash.includes("threads="),
  })`);
  const first = seen.cells.find((title) => /: 100 messages, 1,000 bytes, /.test(title));
  check("channels: a pipe's cell", first !== undefined, seen.cells.slice(0, 3).join("; "));
  check("channels: each cell is a pair of the list", seen.pairs >= seen.cells.length && seen.cells.length > 5, `${seen.pairs}, ${seen.cells.length}`);
  const at = await browser.evaluate(`(() => {
    const box = [...document.querySelectorAll('.matrix td[title]')].find((cell) => / 100 messages/.test(cell.title)).getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  })()`);
  await browser.click(...at);
  const hash = await browser.evaluate("location.hash");
  check("channels: a cell chooses both parties' threads", !seen.whole && /threads=\d+\.\d+/.test(hash), hash);

  // Processes, a pipeline of programs and ranks of an MPI program in one matrix.
  const ring = join(build, "tests", "mpi", "ring_c");
  const version = spawnSync("mpirun", ["--version"], { encoding: "utf8" });
  if (version.status !== 0 || !existsSync(ring)) {
    console.log("note: no MPI program here");
    return;
  }
  const mpirun = /Open MPI/.test(version.stdout) ? "mpirun --allow-run-as-root --oversubscribe" : "mpirun";
  writeFileSync(join(work, "all.sh"), `"${program}" "${work}/again" > /dev/null &\nseq 1 1000 | sort | wc -l > /dev/null\n${mpirun} -n 2 "${ring}" 5 5 > /dev/null\nwait\n`);
  run("mkdir", join(work, "again"));
  run(kymo, "record", "-q", "-o", join(work, "all.kymo"), "--", "sh", join(work, "all.sh"));
  await browser.open(page("all"), "tab=channels");
  const names = await browser.evaluate("[...document.querySelectorAll('.panels .column:last-child td.name')].map((cell) => cell.dataset.whole ?? cell.textContent)");
  for (const pair of [/^channels \d+ → channels \d+$/, /^seq → sort$/, /^rank 0 → rank 1$/]) {
    check(`channels: ${pair}`, names.some((name) => pair.test(name)), names.filter((name) => pair.test(name)).slice(0, 2).join());
  }
}

// Sources and instructions tell of the brushed time alone: before the workers begin, none of their code.
async function follows(browser, path) {
  const shown = `(() => { const parts = [...document.querySelectorAll('.panels .column')].map((part) => part.querySelector('h3').textContent);
    const share = (row) => parseFloat(row.querySelector('.value').textContent) || 0;
    const sum = [...document.querySelectorAll('.panels .column:nth-child(2) .line')].reduce((all, row) => all + share(row), 0);
    return { parts, sum }; })()`;
  await browser.open(path);
  const begin = await browser.evaluate("Math.round(kymo.model.threads.find((thread) => thread.name.startsWith('worker')).begin)");
  const end = await browser.evaluate("kymo.model.range[1]");
  await browser.open(path, `tab=source&brush=${begin}-${end}`);
  const after = await browser.evaluate(shown);
  await browser.open(path, `tab=source&brush=0-${begin}`);
  const before = await browser.evaluate(shown);
  // What they copy with comes first where page faults cost much.
  check("the hottest function once the workers run is theirs", /Strip|laplacian|memmove/.test(after.parts[0]), after.parts[0]);
  check("before they begin it is another", before.parts.length > 0 && !/Strip|laplacian/.test(before.parts[0]), before.parts[0]);
  for (const [when, { parts, sum }] of [["while they run", after], ["before they begin", before]]) {
    check(`the instructions ${when} make a whole`, parts.length < 2 || (sum > 90 && sum < 105), `${parts[1]}: ${sum.toFixed(1)} %`);
  }
}

async function links(browser) {
  made();
  const path = page("halves");
  await browser.open(path);
  const view = () => browser.evaluate("JSON.parse(JSON.stringify(window.kymo.store.view))");
  const box = (selector) =>
    browser.evaluate(`(() => { const b = document.querySelector('${selector}').getBoundingClientRect(); return { x: b.x, y: b.y, width: b.width, height: b.height }; })()`);
  const summary = () => browser.evaluate("document.querySelector('.summary').textContent");
  const whole = await summary();
  const picture = await box(".kymograph .picture canvas");

  await browser.drag(picture.x + picture.width * 0.1, picture.y + 30, picture.x + picture.width * 0.3, picture.y + 30);
  let seen = await view();
  check("dragging brushes", seen.brush && Math.abs(seen.brush[0] - 10e6) < 1e6 && Math.abs(seen.brush[1] - 30e6) < 1e6, String(seen.brush));
  const brushed = await summary();
  check("the region's sums follow the brush", brushed !== whole && brushed.startsWith("Brushed"), brushed);
  await browser.key("2");
  const inBrush = await browser.evaluate("document.querySelector('.panels tbody').innerText");
  check("only what ran in the brush is listed", inBrush.includes("0x30") && !inBrush.includes("0x40"), inBrush.replace(/\s+/g, " ").slice(0, 200));
  check("the address holds the brush", (await browser.evaluate("location.hash")).includes("brush="), await browser.evaluate("location.hash"));

  await browser.key("z");
  seen = await view();
  check("z looks at the brush", Math.abs(seen.from - seen.brush[0]) < 1 && Math.abs(seen.to - seen.brush[1]) < 1, `${seen.from} ${seen.to}`);
  await browser.key("Escape");
  await browser.key("0");
  seen = await view();
  check("Esc drops the brush, 0 looks at everything", seen.brush === null && seen.from === 0 && seen.to === 100e6, JSON.stringify(seen));
  await browser.key("+");
  const closer = await view();
  check("+ zooms in", closer.to - closer.from < 100e6, String(closer.to - closer.from));
  await browser.key("ArrowRight");
  check("the right arrow moves later", (await view()).from > closer.from);
  await browser.mouse("mouseWheel", picture.x + 100, picture.y + 30, { deltaX: 0, deltaY: 400 });
  await browser.settle();
  const farther = await view();
  check("the wheel zooms out", farther.to - farther.from > closer.to - closer.from, String(farther.to - farther.from));
  await browser.key("0");

  const row = await browser.evaluate("[...document.querySelectorAll('.kymograph .row')].findIndex((row) => row.title.includes('0x40'))");
  const at = await box(".kymograph .row:nth-child(" + (row + 1) + ")");
  await browser.click(at.x + at.width / 2, at.y + at.height / 2);
  seen = await view();
  check("a click on a row chooses its space", row >= 0 && seen.space !== "", seen.space);
  await browser.key("3");
  check("the source view shows the chosen space", (await browser.evaluate("document.querySelector('.panels').innerText")).includes("0x40"));
  await browser.key("]");
  await browser.key("]");
  check("] goes from thread to thread", String((await view()).threads) === "1", String((await view()).threads));
  await browser.key("6");
  const waits = await browser.evaluate("document.querySelector('.panels').innerText");
  check("the wait is listed with who kept it", /mutex/.test(waits) && /app/.test(waits), waits.replace(/\s+/g, " ").slice(0, 200));

  await browser.key("8");
  const heavy = await browser.evaluate("[...document.querySelectorAll('.heavy tbody tr')].map((row) => row.innerText.replace(/\\s+/g, ' '))");
  check("heavy code is listed with its weight and time", heavy.length >= 2 && heavy.every((text) => /0x\d+ .*\d % .*\d %/.test(text)), heavy.join(" | "));
  await browser.evaluate("document.querySelectorAll('.heavy tbody tr')[1].click()");
  await browser.settle();
  const life = await browser.evaluate("[document.querySelectorAll('.heavy tr.chosen').length, document.querySelector('.heavy-life h3').innerText, document.querySelectorAll('.heavy tbody tr')[1].querySelector('.name').innerText].join('|')");
  check("a click shows its life in time", /^1\|(.*0x\d+).* occurrences?.*\|\1/.test(life.replace(/\n/g, " ")), life);

  // The address brings everything back.
  const hash = await browser.evaluate("location.hash.slice(1)");
  const before = await view();
  await browser.open(path, hash);
  check("the address brings the view back", JSON.stringify(await view()) === JSON.stringify(before), JSON.stringify(await view()));
  for (const junk of ["t=9-1&brush=x-y&threads=99.a&rows=nonsense&space=%00%FF&tab=zzz&tint=1e9&lanes=code.-5&finding=x", "%%%", "t=NaN-Infinity"]) {
    browser.said.length = 0;
    await browser.open(path, junk);
    seen = await view();
    check(`an address of nonsense is harmless: ${junk.slice(0, 20)}`, seen.from === 0 && seen.to === 100e6 && browser.said.length === 0, browser.said.join("; "));
  }
  await browser.key("?");
  check("? shows the keys", (await browser.evaluate("document.querySelector('dialog[open]')?.innerText ?? ''")).includes("whole run"));
  await browser.key("Escape");
  for (const width of [1280, 3840]) {
    await browser.size(width, width === 1280 ? 800 : 2160);
    await browser.open(path);
    const fits = await browser.evaluate("({ wide: document.documentElement.scrollWidth <= innerWidth, font: parseFloat(getComputedStyle(document.body).fontSize) })");
    check(`${width} wide: nothing sticks out, letters can be read`, fits.wide && fits.font >= (width === 1280 ? 12.5 : 18), JSON.stringify(fits));
  }
}

// What the tracks say at their tops: name → text.
const kTops = "Object.fromEntries([...document.querySelectorAll('.tracks .row')].map((row) => [...row.children].map((part) => part.textContent)))";

async function memory(browser) {
  made();
  const path = page("memory");
  const kApp = "memory app 100";
  const kTool = "memory tool 101";
  const kAll = "memory all 2 processes";
  for (const [what, hash, tops] of [
    ["the whole run", "", { [kAll]: "78.0 MiB", [kApp]: "68.0 MiB", [kTool]: "10.0 MiB" }],
    ["until 15 ms", "t=0-15000000", { [kAll]: "4.0 MiB", [kApp]: "4.0 MiB", [kTool]: "–" }],
    ["from 65 ms", "t=65000000-100000000", { [kAll]: "30.0 MiB", [kApp]: "20.0 MiB", [kTool]: "10.0 MiB" }],
    ["from 85 ms", "t=85000000-100000000", { [kAll]: "20.0 MiB", [kApp]: "20.0 MiB", [kTool]: "–" }],
  ]) {
    await browser.open(path, hash);
    const seen = await browser.evaluate(kTops);
    check(`the highest memory, ${what}`, Object.entries(tops).every(([name, text]) => seen[name] === text), JSON.stringify(seen));
  }
  // What the pointer says, and the height of the picture, at moments of the whole run.
  await browser.open(path);
  const index = await browser.evaluate(`[...document.querySelectorAll('.tracks .row')].findIndex((row) => row.firstChild.textContent === ${JSON.stringify(kApp)})`);
  const box = await browser.evaluate("(() => { const b = document.querySelector('.tracks .picture').getBoundingClientRect(); const row = document.querySelector('.tracks .row').offsetHeight; return { x: b.x, y: b.y, width: b.width, row }; })()");
  for (const [share, words] of [[0.1, "4.0 MiB, of it 2.0 MiB"], [0.4, "68.0 MiB, of it 2.0 MiB"], [0.9, "20.0 MiB, of it 2.0 MiB"]]) {
    await browser.mouse("mouseMoved", box.x + box.width * share, box.y + (index + 0.5) * box.row);
    await browser.settle();
    const tip = await browser.evaluate("document.querySelector('.tip')?.innerText ?? ''");
    check(`the pointer at ${share} of the run`, tip.includes(words) && tip.includes("resident memory of app 100"), tip);
  }
  await browser.mouse("mouseMoved", box.x + box.width * 0.9, box.y + (index + 1.5) * box.row);
    await browser.settle();
  const gone = await browser.evaluate("document.querySelector('.tip')?.innerText ?? ''");
  check("a process that is gone has none", gone.includes("no process, or not known"), gone);
  for (const theme of ["dark", "light"]) {
    await browser.open(path, `theme=${theme}`);
    const filled = (share) => browser.evaluate(`(() => { const canvas = document.querySelector('.tracks canvas'); const scale = canvas.height / canvas.offsetHeight; const row = ${box.row}; const data = canvas.getContext('2d').getImageData(Math.round(canvas.width * ${share}), Math.round(${index} * row * scale), 1, Math.round((row - 2) * scale)).data; const [r, g, b] = kymo.palette().event; let count = 0; for (let i = 0; i < data.length; i += 4) { count += Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12 ? 1 : 0; } return count / (data.length / 4); })()`);
    const [low, high, end] = [await filled(0.1), await filled(0.4), await filled(0.9)];
    check(`${theme}: the area is as high as the memory`, high > 0.7 && Math.abs(low / high - 4 / 68) < 0.08 && Math.abs(end / high - 20 / 68) < 0.08, `${low} ${high} ${end}`);
  }
  // Of a recording without readings there is no track, and the reason.
  await browser.open(page("halves"));
  const without = await browser.evaluate("({ tracks: [...document.querySelectorAll('.tracks .row')].map((row) => row.textContent), words: document.body.innerText })");
  check("what is not known has no track", !without.tracks.some((text) => text.startsWith("memory")), without.tracks.join(" | "));
  const said = await browser.evaluate("[...document.querySelectorAll('p.hint')].map((one) => one.textContent).join(' | ')");
  check("and the reason is there", /memory over time \(the recording has no reading of it/.test(said), said);
}

async function metrics(browser) {
  made();
  const path = page("halves");
  // 500 faults in the second 50 ms, all of the first thread in app+0x40. Counts are whole: at pixels narrower than 100 us the
  // highest of them is above 10,000 a second.
  for (const [what, hash, isRight] of [
    ["the second half", "t=50000000-100000000", (text) => parseFloat(text) >= 10 && parseFloat(text) < 20 && text.endsWith(" k/s")],
    ["the first half", "t=0-49000000", (text) => text === "0/s"],
    ["the thread that has none", "threads=1", (text) => text === "0/s"],
  ]) {
    await browser.open(path, hash);
    const tops = await browser.evaluate(kTops);
    check(`page faults a second, ${what}`, isRight(tops["page-faults"]), JSON.stringify(tops));
  }
  await browser.open(path);
  const both = await browser.evaluate(kTops);
  check("both threads were on processors", Math.abs(parseFloat(both["on processors"]) - 2) < 0.05, JSON.stringify(both));
  await browser.key("m");
  check("m hides the metrics", await browser.evaluate("document.querySelector('.tracks').hidden && location.hash.includes('tracks=off')"));
  await browser.open(path, "metric=event.page-faults&tab=functions");
  const first = await browser.evaluate("document.querySelector('.panels tbody tr').innerText.replace(/\\s+/g, ' ')");
  check("functions by event: all faults are in app+0x40", first.includes("0x40") && Math.abs(parseFloat(first) - 500) < 500 / 30, first);

  // Threads by process.
  const ranks = page("ranks");
  await browser.open(ranks);
  const rows = () => browser.evaluate("[...document.querySelectorAll('.threads .row')].map((row) => row.innerText.replace(/\\s+/g, ' '))");
  const all = await rows();
  check("a row for each rank, with its threads below", all.length === 6 && /rank 0/.test(all[0]) && /rank 1/.test(all[3]), all.join(" | "));
  const spot = await browser.evaluate("(() => { const b = document.querySelectorAll('.threads .row')[3].getBoundingClientRect(); return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; })()");
  await browser.click(spot.x, spot.y);
  const chosen = await browser.evaluate("[kymo.store.view.threads?.map((thread) => kymo.model.threads[thread].process).join(), document.querySelector('.summary').textContent, document.querySelector('[aria-label=\"which threads\"]').selectedOptions[0].textContent].join(' | ')");
  check("a click on a rank chooses its threads, and all say so", /^(\d),\1 \| .*rank 1.* \| rank 1/.test(chosen), chosen);
  await browser.evaluate("document.querySelectorAll('.threads .fold')[0].click()");
  await browser.settle();
  check("a rank folds into one row", (await rows()).length === 4, (await rows()).join(" | "));

  // A finding's occurrences: a click leads to one.
  await browser.open(page("slow"), "finding=1");
  const moments = await browser.evaluate("[...document.querySelectorAll('.card.chosen .moment')].map((one) => one.innerText.replace(/\\s+/g, ' '))");
  check("an open finding lists the occurrences that it counted", moments.length >= 2, moments.join(" | "));
  await browser.evaluate("document.querySelector('.card.chosen .moment').click()");
  await browser.settle();
  const gone = await browser.evaluate("JSON.stringify([kymo.store.view.brush, kymo.store.view.from < kymo.store.view.brush?.[0], kymo.findings[0].occurrences.list[0]])");
  const [brush, isAround, first0] = JSON.parse(gone);
  check("a click on one leads to its time", brush && isAround && brush[0] === first0[0] && brush[1] === first0[0] + first0[1], gone);

  // The account of the run: the rows that hold it up most, as in the data, and what a finding's repair is expected to gain.
  const account = await browser.evaluate("JSON.stringify([[...document.querySelectorAll('.account tr')].map((row) => row.innerText.replace(/\\s+/g, ' ').trim()), kymo.model.account.rows.map((row) => row.what), kymo.model.account.ns, document.querySelector('.card.chosen .more').innerText, kymo.findings[0].gain])");
  const [accountRows, whats, accountNs, card, gain] = JSON.parse(account);
  check("the account has a row each, with its words", whats.length > 0 && accountNs > 0 && accountRows.length === whats.length + 1 && whats.every((what, row) => accountRows[row + 1].includes(what)), account.slice(0, 300));
  check("an open finding says what is expected of its repair", gain ? card.includes("expected to be") : !card.includes("expected to be"), card.slice(0, 200));

  // What a hunt found.
  await browser.open(page("hunted"));
  const found = await browser.evaluate("document.querySelector('.findings').innerText.replace(/\\s+/g, ' ')");
  check("what a hunt found is told first", /^HUNT FOR PAGE-FAULTS 60\.0 % .*app\+0x30.*0\.005 s to 0\.015 s/i.test(found), found.slice(0, 200));
  await browser.evaluate("document.querySelector('.findings .head').click()");
  await browser.settle();
  const led = await browser.evaluate("JSON.stringify(kymo.store.view.brush)");
  check("a click on it brushes when it ruled", led === "[5000000,15000000]", led);

  // Three hundred threads: only those in view are drawn, and scrolling brings the others.
  await browser.open(page("many"));
  // 299 threads that all say that they were on a processor of a run that had two.
  const many = await browser.evaluate(kTops);
  check("no more processors than the run had", parseFloat(many["on processors"]) === 2, JSON.stringify(many));
  const lit = "(() => { const c = document.querySelector('.threads canvas'); const d = c.getContext('2d').getImageData(0, 0, Math.round(c.width / 4), c.height).data; let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i] > 150 && d[i + 2] < 120; return n; })()";
  const top = await browser.evaluate(lit);
  await browser.evaluate("document.querySelector('.threads .scroll').scrollTop = 1e9");
  await browser.settle();
  const bottom = await browser.evaluate(lit);
  check("the last threads are drawn when they are scrolled to", top > 500 && bottom > 500, `${top} ${bottom} pixels`);
}

async function hostile(browser) {
  made();
  const path = page("hostile");
  for (const tab of kTabs) {
    browser.said.length = 0;
    browser.requests.length = 0;
    await browser.open(path, `tab=${tab}`);
    check(`${tab}: nothing ran`, (await browser.evaluate("window.hacked")) === undefined);
    check(`${tab}: nothing was fetched`, browser.requests.every((url) => /^(file:.*hostile\.html|about:|data:)/.test(url)), browser.requests.filter((url) => !url.startsWith("file:")).join().slice(0, 200));
    check(`${tab}: nothing on the console`, browser.said.length === 0, browser.said.join("; ").slice(0, 500));
  }
  const text = await browser.evaluate("document.body.textContent + [...document.querySelectorAll('[title]')].map((element) => element.title).join()");
  check("the markup is shown as text", text.includes("<script>window.hacked=1</script>"));
  check("bytes that are no UTF-8 are shown as such", text.includes("\ufffd"));
  check("no element came of it", await browser.evaluate("document.querySelectorAll('#app script, #app img, #app svg, #app b b').length === 0"));
  const wide = await browser.evaluate("document.documentElement.scrollWidth <= innerWidth");
  check("ten thousand letters fit", wide);
  const inline = await browser.evaluate("new Promise((done) => { const s = document.createElement('script'); s.textContent = 'window.late = 1'; document.body.append(s); setTimeout(() => done(window.late), 50); })");
  check("the policy lets no other script run", inline === undefined || inline === null);
}

async function picture(browser) {
  made();
  const path = page("halves");
  const text = readFileSync(path, "utf8");
  const places = ['id="head"', 'id="level-0"', "<script>", 'id="occurrences"'].map((part) => text.indexOf(part));
  check(
    "the script runs before the browser has parsed what the first picture does not need",
    places.every((place, i) => place > (places[i - 1] ?? 0)),
    String(places),
  );
  const { PNG } = createRequire(join(modules, "x.js"))("pngjs");
  for (const theme of ["dark", "light"]) {
    await browser.open(path, `theme=${theme}`);
    const png = PNG.sync.read(await browser.picture());
    const spots = await browser.evaluate(`(() => {
      const canvas = document.querySelector('.kymograph .picture canvas').getBoundingClientRect();
      const rows = [...document.querySelectorAll('.kymograph .row')];
      const at = (name) => { const b = rows.find((row) => row.title.includes(name)).getBoundingClientRect(); return b.y + b.height / 2; };
      const lanes = [...document.querySelectorAll('.threads .row')].map((row) => { const b = row.getBoundingClientRect(); return b.y + b.height / 2; });
      const lane = document.querySelector('.threads .picture canvas').getBoundingClientRect();
      return { x: canvas.x, width: canvas.width, first: at('0x30'), second: at('0x40'), lanes, lx: lane.x, lw: lane.width };
    })()`);
    const colour = (x, y) => {
      const i = (Math.round(y) * png.width + Math.round(x)) * 4;
      return [...png.data.subarray(i, i + 3)];
    };
    const palette = await browser.evaluate("(() => { const p = window.kymo.palette(); return { ground: p.ground, user: p.channels[0], waiting: p.channels[4] }; })()");
    const far = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));
    const is = (what, seen, wanted, tolerance = 12) => check(`${theme}: ${what}`, far(seen, wanted) <= tolerance, `seen ${seen}, expected ${wanted.map(Math.round)} ± ${tolerance}`);
    // Full strength is that of the two threads that were in app+0x30 at once; one alone has the square root of a half.
    const half = palette.ground.map((ground, i) => ground + (palette.user[i] - ground) * Math.SQRT1_2);
    const blue = palette.ground.map((ground, i) => ground + (palette.waiting[i] - ground) * 0.55);
    for (const share of [0.1, 0.25, 0.45]) {
      is(`app+0x30 is busy at ${share}`, colour(spots.x + spots.width * share, spots.first), palette.user);
      is(`app+0x40 is empty at ${share}`, colour(spots.x + spots.width * share, spots.second), palette.ground);
    }
    for (const share of [0.55, 0.75, 0.95]) {
      is(`app+0x30 is empty at ${share}`, colour(spots.x + spots.width * share, spots.first), palette.ground);
      is(`app+0x40 is busy at ${share}`, colour(spots.x + spots.width * share, spots.second), half);
      is(`the first thread computes at ${share}`, colour(spots.lx + spots.lw * share, spots.lanes[0]), palette.user);
      is(`the second thread waits at ${share}`, colour(spots.lx + spots.lw * share, spots.lanes[1]), blue);
    }
    is("the second thread computes at 0.25", colour(spots.lx + spots.lw * 0.25, spots.lanes[1]), palette.user);
    if (process.env.KYMO_KEEP) {
      writeFileSync(`picture-${theme}.png`, PNG.sync.write(png));
    }
  }
  const again = [];
  const pixelmatch = (await import(join(modules, "pixelmatch", "index.js"))).default;
  for (let i = 0; i < 2; i++) {
    await browser.open(path, "theme=dark&t=20000000-80000000");
    again.push(PNG.sync.read(await browser.picture()));
  }
  const other = pixelmatch(again[0].data, again[1].data, null, again[0].width, again[0].height, { threshold: 0.1 });
  check("the same address gives the same picture", other < 0.002 * again[0].width * again[0].height, `${other} pixels differ`);
}

async function compared(browser) {
  made();
  for (const [base, other] of [
    ["halves", "halves"],
    ["empty", "one"],
    ["one", "empty"],
    ["hostile", "halves"],
    ["many", "ranks"],
    ["thousand", "hunted"],
  ]) {
    const path = join(work, `${base}-${other}.html`);
    run(kymo, "diff", join(work, `${base}.kymo`), join(work, `${other}.kymo`), "-o", path);
    browser.said.length = 0;
    browser.requests.length = 0;
    await browser.open(path);
    const what = `${base} and ${other}`;
    check(`${what}: nothing ran`, (await browser.evaluate("window.hacked")) === undefined);
    check(`${what}: nothing was fetched`, browser.requests.every((url) => /^(file:.*\.html|about:|data:)/.test(url)));
    check(`${what}: nothing on the console`, browser.said.length === 0, browser.said.join("; ").slice(0, 500));
    check(`${what}: it is shown`, await browser.evaluate("document.querySelectorAll('.part canvas').length === 2 && document.querySelectorAll('.whole b').length >= 1"));
    check(`${what}: it is as wide as the window`, await browser.evaluate("document.documentElement.scrollWidth <= innerWidth"));
  }
  const path = join(work, "halves-halves.html");
  for (const theme of ["light", "dark"]) {
    await browser.open(path);
    await browser.evaluate(`[...document.querySelectorAll('.top button')].at(-1).click(); document.documentElement.dataset.theme === '${theme}' || document.querySelector('.top button').click()`);
    check(`${theme}: the theme is the one that was asked for`, await browser.evaluate(`document.documentElement.dataset.theme === '${theme}'`));
  }
  // Every pixel of a canvas as one number: another picture is another number.
  const drawn = (which) =>
    browser.evaluate(`(() => { const canvas = document.querySelectorAll('.part canvas')[${which}];
      return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.reduce((sum, byte) => (sum * 31 + byte) % 2147483647, 7); })()`);
  const pressed = () => browser.evaluate("[...document.querySelectorAll('.choice button')].map((button) => button.getAttribute('aria-pressed') === 'true')");
  check("the first of each choice is pressed", (await pressed()).join() === "true,false,true,false,true,false", (await pressed()).join());
  await browser.evaluate("document.querySelectorAll('.choice button').forEach((button, i) => i % 2 && button.click())");
  check("the second is when it is clicked", (await pressed()).join() === "false,true,false,true,false,true", (await pressed()).join());
  const before = [await drawn(0), await drawn(1)];
  await browser.evaluate("[...document.querySelectorAll('.part header > button')].forEach((button) => /^all/.test(button.textContent) && button.click())");
  await browser.evaluate("document.querySelector('tr.row').click()");
  check("a row that is clicked is marked", await browser.evaluate("document.querySelectorAll('tr.chosen').length > 0"));
  await browser.settle();
  const marked = [await drawn(0), await drawn(1)];
  check("and so is its function in the pictures", marked[1] !== before[1]);
  await browser.evaluate("dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))");
  await browser.settle();
  check("until Escape", (await drawn(0)) === before[0] && (await drawn(1)) === before[1]);
}

// Patterns list the events that tell them apart most; a click lists all that the recording has.
async function patterns(browser) {
  made();
  await browser.open(page("events"), "tab=patterns");
  await browser.evaluate("kymo.store.set({ space: kymo.tree().key[kymo.tree().title.findIndex((title) => title.includes('0x30'))] })");
  await browser.settle();
  const seen = () => browser.evaluate(`({
    heads: [...document.querySelectorAll('.sides > div:first-child th')].slice(4).map((head) => head.textContent),
    rows: [...document.querySelectorAll('.sides > div:first-child tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
    button: document.querySelector('.more-events')?.textContent,
    focus: document.activeElement.className,
  })`);
  const counts = ({ rows }, name) => rows.find(([after]) => after.includes(name))?.slice(4).join();
  let now = await seen();
  check("those that differ most come first, three of them", now.heads.join() === "branch-misses,context-switches,cache-misses", now.heads.join());
  check("with how often a time", counts(now, "0x40") === "10,10,10" && counts(now, "0x50") === "100,50,40", JSON.stringify(now.rows));
  check("a button offers the rest", now.button === "3 more events a time", now.button);
  await browser.evaluate("document.querySelector('.more-events').focus()");
  await browser.key("Enter");
  now = await seen();
  check("all events are listed", now.heads.join() === "branch-misses,context-switches,cache-misses,page-faults,cpu-migrations,alignment-faults", now.heads.join());
  check("also those in which patterns do not differ", counts(now, "0x50") === "100,50,40,20,10,0", JSON.stringify(now.rows));
  check("the focus stays on the button", /more-events/.test(now.focus) && now.button === "Fewer events", `${now.focus} ${now.button}`);
  await browser.key("Enter");
  now = await seen();
  check("and three again", now.heads.length === 3 && now.button === "3 more events a time", now.heads.join());
}

// Of halves: app+0x30 app+0x40 and app+0x50, each once, below app+0x10: four spaces.
async function search(browser) {
  made();
  const path = page("halves");
  await browser.open(path);
  const view = () => browser.evaluate("JSON.parse(JSON.stringify(window.kymo.store.view))");
  const told = () => browser.evaluate("document.querySelector('.search output').textContent");
  const before = await view();
  // One after the other, as fast as they come.
  for (const key of ["/", "n", "2", "s"]) {
    browser.client.Input.dispatchKeyEvent({ type: "keyDown", key, text: key });
    browser.client.Input.dispatchKeyEvent({ type: "keyUp", key });
  }
  await browser.until("document.querySelector('.search input').value.length >= 3");
  await browser.settle();
  const typed = await browser.evaluate("document.querySelector('.search input').value");
  const after = await view();
  check("keys right after / are text, not commands", typed === "n2s" && JSON.stringify({ ...after, find: "" }) === JSON.stringify(before), `${typed}: ${JSON.stringify(after)}`);
  check("what is not there is nothing", (await told()) === "nothing", await told());
  await browser.key("Enter");
  check("Enter then chooses nothing", (await view()).space === "");
  await browser.key("Escape");
  const left = await browser.evaluate("[document.activeElement.tagName, document.querySelector('.search input').value, document.querySelector('.search output').textContent, document.querySelectorAll('mark').length].join()");
  check("Esc leaves", left === "BODY,,,0" && (await view()).find === "", left);
  await browser.key("2");
  check("keys are commands again", (await view()).tab === "functions");

  await browser.key("/");
  for (const key of "APP+0X") {
    await browser.key(key);
  }
  const rows = await browser.evaluate("[...document.querySelectorAll('.kymograph .row')].map((row) => [row.title, row.classList.contains('found')])");
  check("rows that match are marked", rows.length >= 3 && rows.every(([title, found]) => found === /app\+0x/i.test(title)), JSON.stringify(rows));
  const all = Number(await told());
  check("the count is that of the spaces", all === 4, String(all));
  const marks = await browser.evaluate("[[...document.querySelectorAll('.rows mark')].map((mark) => mark.textContent).join(), document.querySelectorAll('.panels td mark').length]");
  check("the text is marked in rows and in the table", /^app\+0x(,app\+0x)*$/.test(marks[0]) && marks[1] >= 3, marks.join(" "));

  const seen = [];
  for (let i = 0; i < all + 1; i++) {
    await browser.key("Enter");
    seen.push(`${await told()} ${(await view()).space}`);
  }
  check("Enter goes from one to the next, and around", new Set(seen).size === all && seen[0] === seen[all] && seen.every((text, i) => text.startsWith(`${(i % all) + 1} of ${all} c`)), seen.join("; "));
  await browser.client.Input.dispatchKeyEvent({ type: "keyDown", key: "Enter", modifiers: 8 });
  await browser.settle();
  check("Shift Enter goes back", (await told()) === `${all} of ${all}`, await told());

  // A search that only one row of the table answers.
  await browser.open(path, "tab=functions&find=0x40");
  const one = await browser.evaluate("[document.querySelector('.search input').value, document.querySelectorAll('.panels .wide tbody tr').length, document.querySelector('.panels tbody mark').textContent].join()");
  check("the address brings a search back", one === "0x40,1,0x40", one);
  const hash = await browser.evaluate("location.hash");
  check("the address holds the search", hash.includes("find=0x40"), hash);
  // In the pictures: what does not match is faint.
  const strength = (find) =>
    browser.open(path, `theme=light&tab=paths${find}`).then(() =>
      browser.evaluate(`(() => { const canvas = document.querySelector('.flame canvas'); const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let sum = 0; for (let i = 0; i < pixels.length; i += 4) sum += 255 - Math.min(pixels[i], pixels[i + 1], pixels[i + 2]); return sum; })()`),
    );
  const [plain, some, none] = [await strength(""), await strength("&find=0x40"), await strength("&find=zzz")];
  check("the flame graph fades what does not match", plain > some && some > none && none > 0, `${plain} ${some} ${none}`);
  check("nothing on the console", browser.said.length === 0, browser.said.join("; "));
}

// Of halves: app+0x10 calls app+0x30 (100 ms: 50 of each thread) and app+0x40 (50 ms, of the first thread), and waits in app+0x50.
async function flames(browser) {
  made();
  const path = page("halves");
  const flame = "kymo.below.get('paths')";
  const tree = (from) =>
    browser.evaluate(`(() => { const names = kymo.model.functions.name; const tell = (f) => [f.parent || ${flame}.callers ? names[f.fn] : 'all', Math.round(f.value / 1e6), Math.round(f.self / 1e6), f.children.map(tell)];
      return JSON.stringify(tell(${flame}.${from})).replaceAll('"', ""); })()`);
  const words = () => browser.evaluate("document.querySelector('.flame-bar .focus').textContent");
  const boxes = () => browser.evaluate(`JSON.stringify(${flame}.boxes.map((box) => [${flame}.name(box.frame), box.row, Math.round(box.x), Math.round(box.width)]))`).then(JSON.parse);
  const press = async (...keys) => {
    for (const key of keys) {
      await browser.key(key);
    }
  };

  await browser.open(path);
  check("left-heavy by default", (await tree("roots[0]")) === "[all,150,0,[[app+0x10,150,0,[[app+0x30,100,100,[]],[app+0x40,50,50,[]]]]]]", await tree("roots[0]"));
  const heavy = await boxes();
  const at = (list, name) => list.find((box) => box[0] === name);
  check("heaviest at the left", at(heavy, "app+0x30")[2] === 0 && Math.abs(at(heavy, "app+0x40")[2] / at(heavy, "all")[3] - 2 / 3) < 0.01, JSON.stringify(heavy));

  // By keys alone.
  await browser.evaluate("document.activeElement.blur()");
  for (let i = 0; i < 60 && !(await browser.evaluate("document.activeElement.classList.contains('flame')")); i++) {
    await browser.key("Tab");
  }
  check("Tab reaches it", await browser.evaluate("document.activeElement.classList.contains('flame')"));
  const whole = JSON.stringify(await browser.evaluate("[kymo.store.view.from, kymo.store.view.to]"));
  await press("ArrowDown");
  check("the first arrow goes to the root", /^all: 150 ms, 100 %/.test(await words()), await words());
  await press("ArrowDown", "ArrowDown");
  check("down to the widest callee, told in words", (await words()) === "app+0x30: 100 ms, 66.7 % of the region's processor time; 100 ms in it itself", await words());
  await press("ArrowRight");
  check("right to its neighbour", /^app\+0x40: 50.0 ms, 33.3 %/.test(await words()), await words());
  check("arrows do not move time", JSON.stringify(await browser.evaluate("[kymo.store.view.from, kymo.store.view.to]")) === whole);
  await press("Enter");
  const spread = await boxes();
  check("Enter spreads it, its callers above", spread.length === 3 && spread.every((box) => box[2] === 0 && box[3] === spread[0][3]) && spread[2][0] === "app+0x40", JSON.stringify(spread));
  await press("Escape");
  check("Esc goes back", (await boxes()).length === heavy.length);
  await press("ArrowUp");
  check("up to the caller", /^app\+0x10: 150 ms/.test(await words()), await words());
  await press("ArrowDown", " ");
  check("the space bar chooses it everywhere", await browser.evaluate("kymo.tree().title[kymo.selected()?.node] === 'app+0x30'"));
  check("its words are read out", await browser.evaluate("document.querySelector('.flame-bar .focus').getAttribute('aria-live') === 'polite' && document.querySelector('.flame').getAttribute('aria-roledescription') === 'flame graph'"));

  // Hide and merge.
  await press("ArrowUp", "h");
  check("h hides: callees belong to its caller", (await tree("roots[0]")) === "[all,150,0,[[app+0x30,100,100,[]],[app+0x40,50,50,[]]]]", await tree("roots[0]"));
  const chips = () => browser.evaluate("[...document.querySelectorAll('.chip')].map((chip) => chip.textContent).join('|')");
  check("a chip tells of it", (await chips()) === "hidden: app+0x10 ✕", await chips());
  const edited = await browser.evaluate("location.hash");
  check("the address keeps it", /edits=hide-\d+/.test(edited), edited);
  await browser.evaluate("document.querySelector('.chip').click()");
  await browser.settle();
  check("the chip undoes it", (await chips()) === "" && (await tree("roots[0]")).includes("app+0x10"));
  await browser.evaluate("document.querySelector('.flame').focus()");
  await press("ArrowUp", "ArrowDown", "j");
  check("j merges: callees are part of it", (await tree("roots[0]")) === "[all,150,0,[[app+0x10,150,150,[]]]]", await tree("roots[0]"));
  await press("u");
  check("u undoes it", (await chips()) === "" && (await tree("roots[0]")).includes("app+0x40"));

  await browser.open(path, "flame=inverted");
  check("inverted: callees at the root", (await tree("roots[0]")) === "[all,150,0,[[app+0x30,100,0,[[app+0x10,100,100,[]]]],[app+0x40,50,0,[[app+0x10,50,50,[]]]]]]", await tree("roots[0]"));
  await browser.open(path, "rows=function&flame=sandwich");
  const fn = await browser.evaluate("kymo.model.functions.name.indexOf('app+0x40')");
  await browser.open(path, `rows=function&flame=sandwich&space=f${fn}`);
  const both = [await tree("callers"), await tree("roots[0]")].join(" ");
  check("a sandwich has callers and callees", both === "[app+0x40,50,0,[[app+0x10,50,50,[]]]] [app+0x40,50,50,[]]", both);
  const rows = await boxes();
  check("callers above, callees below", at(rows, "app+0x10")[1] === 0 && at(rows, "app+0x40")[1] === 1, JSON.stringify(rows));

  await browser.open(path, "flame=time&threads=0");
  const times = await boxes();
  const wide = at(times, "app (100)")[3];
  check("time order: one thread alone, in words", (await words()) === "app alone", await words());
  check("time order: half and half", Math.abs(at(times, "app+0x30")[3] / wide - 0.5) < 0.02 && Math.abs(at(times, "app+0x40")[2] / wide - 0.5) < 0.02 && times.length === 4, JSON.stringify(times));
  await browser.open(path, "flame=time");
  const stacked = (await boxes()).sort((one, other) => one[1] - other[1] || one[2] - other[2]);
  const named = stacked.map(([name, row, , width]) => `${row} ${name} ${Math.round((width / wide) * 10) / 10}`).join("|");
  check("time order: threads one below the other", named === "0 app (100) 1|1 app+0x10 1|2 app+0x30 0.5|2 app+0x40 0.5|3 second (101) 1|4 app+0x10 0.5|5 app+0x30 0.5", named);
  check("time order: how many, in words", (await words()) === "2 threads, one below the other", await words());
  await browser.evaluate("document.querySelector('.flame').focus()");
  await press("ArrowDown", "ArrowDown", "ArrowDown", "Enter");
  const closer = (await boxes()).sort((one, other) => one[1] - other[1] || one[2] - other[2]).map(([name, row]) => `${row} ${name}`).join("|");
  check("time order: Enter spreads the same time of all", closer === "0 app (100)|1 app+0x10|2 app+0x30|3 second (101)|4 app+0x10|5 app+0x30", closer);
  await browser.open(page("many"), "flame=time");
  check("time order: of many threads the busiest", (await words()) === "the 8 busiest of 300 threads, one below the other; choose others above", await words());

  // Start-up code of the C library is below nothing, in all views.
  const story = stored("story");
  for (const [hash, shown] of [
    ["", "JSON.stringify(kymo.below.get('paths').boxes.map((box) => kymo.below.get('paths').name(box.frame)))"],
    ["tab=functions", "document.querySelector('.panels').innerText"],
    ["", "[...document.querySelectorAll('.kymograph .row')].map((row) => row.title + row.innerText).join()"],
  ]) {
    await browser.open(story, hash);
    const text = await browser.evaluate(shown);
    const isKnown = await browser.evaluate("kymo.model.functions.name.includes('_start')");
    check(`start-up code is folded: ${shown.slice(0, 40)}`, isKnown && /main/.test(text) && !/_start\b|libc\.so\.6\+0x27/.test(text), text.slice(0, 300));
  }
  for (const junk of ["flame=xyz&edits=hide-x.merge-99999999", "edits=hide-9999.merge-0", "flame=sandwich&space=c999"]) {
    browser.said.length = 0;
    await browser.open(path, junk);
    check(`an address of nonsense is harmless: ${junk.slice(0, 20)}`, browser.said.length === 0 && (await boxes()).length > 0, browser.said.join("; "));
  }
}

async function lines(browser) {
  // std::swap is called by own code: that is what is shown.
  const story = stored("story", "--editor-link", "idea://open?file={file}&line={line}");
  await browser.open(story);
  const swap = await browser.evaluate("kymo.tree().key[kymo.tree().title.findIndex((title) => /::swap<|std::swap/.test(title))]");
  await browser.open(story, `tab=source&space=${swap}`);
  const title = () => browser.evaluate("document.querySelector('.panels h3').innerText.replace(/\\s+/g, ' ')");
  check("a library's code leads to the own code that calls it", /shuffle_values .*story\.cpp/.test(await title()), await title());
  // Of each leaf, the lines above it are the whole of it.
  const sums = await browser.evaluate(`(() => { const sums = new Map(); const { own } = kymo.model; own.leaf.forEach((leaf, row) => sums.set(leaf, (sums.get(leaf) ?? 0) + own.share[row])); return [...sums.values()]; })()`);
  check("lines of own code divide what is below them", sums.length > 0 && sums.every((sum) => Math.abs(sum - 1) < 1e-9), `${sums.length}`);
  const isAbove = await browser.evaluate(`(() => { const { own, lineFunction, leafNode, nodeParent, nodeFunction } = kymo.model;
    return [...own.leaf].every((leaf, row) => { for (let node = leafNode[leaf]; node; node = nodeParent[node]) if (nodeFunction[node] === lineFunction[own.line[row]]) return kymo.model.isOwn(nodeFunction[node]); return false; }); })()`);
  check("they are of own functions on the leaf's call path", isAbove);
  await browser.open(story, "tab=source");
  await browser.key("n");
  check("a finding opens the user's file", /select_values .*story\.cpp/.test(await title()), await title());
  const link = await browser.evaluate("document.querySelector('.panels h3 a')?.getAttribute('href') ?? ''");
  check("places are links to the editor", /^idea:\/\/open\?file=\/[^"<> ]*story\.cpp&line=\d+$/.test(link), link);
  const cards = await browser.evaluate("[...document.querySelectorAll('.findings .where a')].map((link) => [link.textContent, link.getAttribute('href')])");
  const isPlace = ([words, href]) => /^story\.cpp:\d+$/.test(words) && href.endsWith(`/${words.replace(":", "&line=")}`) && href.startsWith("idea://open?file=/");
  check("so are those of cards", cards.length > 0 && cards.every(isPlace), JSON.stringify(cards));
  check("beside the card's button, not in it", await browser.evaluate("document.querySelectorAll('button a').length === 0"));
  const hostile = await browser.evaluate(`kymo.model.editorAddress('/a b/"><script>x(1)</script>/{line}&line=9#?%.c', 7)`);
  check("paths are escaped", hostile === "idea://open?file=/a%20b/%22%3E%3Cscript%3Ex(1)%3C/script%3E/%7Bline%7D%26line%3D9%23%3F%25.c&line=7", hostile);
  const refused = spawnSync(kymo, ["view", join(work, "story.kymo"), "--editor-link", "javascript:alert('{file}')", "-o", join(work, "x.html")], { encoding: "utf8" });
  check("a link that would run is refused", refused.status === 2 && /editor/.test(refused.stderr), refused.stderr.split("\n")[0]);

  // Whole files of own code.
  const demo = join(build, "bin", "kymo-demo");
  run(kymo, "record", "-q", "-o", join(work, "demo.kymo"), "--", demo, "--rounds", "2");
  const lines = `(() => { const rows = [...document.querySelectorAll('.panels .column.wide .line')]; return { numbers: rows.map((row) => Number(row.dataset.line)), file: document.querySelector('.panels h3 small').textContent, links: document.querySelectorAll('.panels .code a').length, all: document.querySelectorAll('.panels a, .findings .where a').length }; })()`;
  const part = page("demo", "--editor-link", "none");
  const own = "rows=function&tab=source&space=f";
  await browser.open(part);
  const fn = await browser.evaluate("kymo.model.functions.name.findIndex((name, fn) => kymo.model.isOwn(fn) && /Strip|laplacian/.test(name))");
  await browser.open(part, `${own}${fn}`);
  const some = await browser.evaluate(lines);
  check("without an editor places are no links", some.all === 0);
  rmSync(part);
  await browser.open(page("demo", "--sources"), `${own}${fn}`);
  const whole = await browser.evaluate(lines);
  const text = readFileSync(whole.file, "utf8").split("\n").length - 1;
  check("--sources has the whole file", whole.numbers.length === text && whole.numbers.every((number, at) => number === at + 1) && some.numbers.length < text, `${whole.file}: ${whole.numbers.length} of ${text} lines, before ${some.numbers.length}`);
  check("with lines as links", whole.links === text, String(whole.links));
  const both = spawnSync(kymo, ["view", join(work, "demo.kymo"), "--sources", "--no-sources"], { encoding: "utf8" });
  check("--sources and --no-sources exclude each other", both.status === 2, both.stderr.split("\n")[0]);
  check("nothing on the console", browser.said.length === 0, browser.said.join("; "));
}

async function gaps(browser) {
  const story = stored("story");
  await browser.open(story, "tab=gaps");
  const listed = await browser.evaluate("[...document.querySelectorAll('table.gaps tbody tr')].map((row) => row.innerText.replace(/\\s+/g, ' '))");
  // The longest gap of the data, found in another way.
  await browser.open(story, "tab=heavy");
  await browser.evaluate("document.querySelector('.heavy tbody tr').click()");
  await browser.settle();
  const own = await browser.evaluate("[...document.querySelectorAll('.heavy-life .moment')].map((one) => one.querySelectorAll('span')[1].innerText)");
  check("gaps are listed, those of the heaviest code among them", listed.length > 8 && own.length > 0 && own.every((length) => listed.some((row) => row.includes(length))), `${listed[0]}; ${own.join()}`);
  await browser.open(story, "tab=gaps");
  await browser.evaluate("document.querySelector('table.gaps tbody tr').click()");
  await browser.settle();
  const { brush, threads } = await browser.evaluate("JSON.parse(JSON.stringify(kymo.store.view))");
  const [begin, length] = [parseFloat(listed[0]), parseFloat(listed[0].split(" ")[2])];
  check("a click leads to the gap", brush && Math.abs(brush[0] / 1e9 - begin) < 0.01 && Math.abs((brush[1] - brush[0]) / 1e9 - length) < 0.01 && threads.length === 1, `${brush} ${listed[0]}`);

  // Groups of same spaces: each member has a row.
  await browser.open(story, "tab=heavy");
  const sizes = await browser.evaluate("[...document.querySelectorAll('.heavy tbody tr')].map((row) => parseInt(row.children[5].innerText) || 0)");
  const at = sizes.findIndex((size) => size >= 2);
  if (at >= 0) {
    await browser.evaluate(`document.querySelectorAll('.heavy tbody tr')[${at}].click()`);
    await browser.settle();
    const rows = await browser.evaluate("document.querySelectorAll('table.same tbody tr').length");
    check("same spaces have a row each", rows === sizes[at], `${rows} of ${sizes[at]}`);
  } else {
    check("a group without same spaces has no table of them", (await browser.evaluate("document.querySelectorAll('table.same').length")) === 0, sizes.join());
  }

  made();
  const empty = page("empty");
  await browser.open(empty);
  await browser.until("document.querySelector('#tab-gaps').hidden");
  const offered = await browser.evaluate("[...document.querySelectorAll('[role=tab]')].filter((tab) => !tab.hidden).map((tab) => tab.id.slice(4)).join()");
  check("views without content are not offered", offered === "paths,functions,source", offered);
  for (const [tab, why] of [["waits", /^No waits were recorded: /], ["heavy", /^No heavy code: /], ["gaps", /^No gaps: /], ["patterns", /^No patterns: /], ["occurrences", /(^|\n)No occurrences: /], ["channels", /^No messages were recorded: /], ["address_map", /^No address map: /]]) {
    await browser.open(empty, `tab=${tab}`);
    await browser.until("!document.querySelector('.panels').innerText.startsWith('Reading')");
    await browser.settle();
    const words = await browser.evaluate("document.querySelector('.panels').innerText.trim()");
    check(`${tab}: it says why`, why.test(words), words.slice(0, 100));
    check(`${tab}: it is the chosen one`, await browser.evaluate(`!document.querySelector('#tab-${tab}').hidden`));
  }
  await browser.open(page("halves"));
  await browser.settle();
  check("what has content is offered", await browser.evaluate("!document.querySelector('#tab-waits').hidden"));
}

// CIE L*a*b* of sRGB colours as eyes without one kind of cone see them (Machado, Oliveira and Fernandes 2009, severity 1).
const kVisions = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
};

function lab(colour, vision) {
  const linear = colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  const [r, g, b] = vision.map((row) => Math.min(1, Math.max(0, row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2])));
  const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883].map((part) =>
    part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116,
  );
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

async function files(browser) {
  made();
  const { PNG } = createRequire(join(modules, "x.js"))("pngjs");
  const path = page("halves");
  await browser.client.Browser.setDownloadBehavior({ behavior: "allow", downloadPath: work, eventsEnabled: true });
  const saved = async (which, ending) => {
    rmSync(join(work, `app.${ending}`), { force: true });
    // The file is there before all of it is.
    const over = new Promise((resolve) => {
      const stop = browser.client.Browser.downloadProgress(({ state }) => {
        if (state !== "inProgress") {
          stop();
          resolve(state);
        }
      });
    });
    await browser.evaluate("[...document.querySelectorAll('.top button')].find((button) => /save/.test(button.title)).click()");
    await browser.evaluate(`[...document.querySelectorAll('dialog.export button')].find((button) => button.textContent.startsWith('${which}')).click()`);
    check(`${which}: the browser saved it`, (await over) === "completed");
    return readFileSync(join(work, `app.${ending}`));
  };
  browser.said.length = 0;
  await browser.open(path, "theme=light");
  const png = PNG.sync.read(await saved("PNG", "png"));
  check("a PNG as large as the window", png.width === 1280 && png.height === 800, `${png.width} x ${png.height}`);
  const spot = await browser.evaluate("(() => { const b = document.querySelectorAll('.threads canvas')[0].getBoundingClientRect(); return [b.x + b.width * 0.25, b.y + 8]; })()");
  const i = (Math.round(spot[1]) * png.width + Math.round(spot[0])) * 4;
  const user = await browser.evaluate("kymo.palette().channels[0]");
  check("with the pictures in it", user.every((part, at) => Math.abs(part - png.data[i + at]) <= 12), `${[...png.data.subarray(i, i + 3)]} ${user}`);
  const svg = (await saved("SVG", "svg")).toString();
  const parsed = await browser.evaluate(`(() => { const doc = new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml');
    return { root: doc.documentElement.localName, error: doc.querySelector('parsererror') !== null, words: [...doc.querySelectorAll('text')].map((one) => one.textContent).join(' '), images: doc.querySelectorAll('image').length, scripts: doc.querySelectorAll('script').length }; })()`);
  check("an SVG with texts and pictures", parsed.root === "svg" && !parsed.error && /app\+0x40/.test(parsed.words) && /Threads/.test(parsed.words) && parsed.images >= 4, JSON.stringify({ ...parsed, words: parsed.words.slice(0, 60) }));
  check("the policy of the page allows it", browser.said.length === 0, browser.said.join("; "));
  await browser.open(page("hostile"));
  const title = await browser.evaluate("(document.title.replace(/ – Kymo$/, '').replace(/[^\\w.-]+/g, '_') || 'kymo')");
  await browser.evaluate("document.title = 'app – Kymo'");
  const hostile = (await saved("SVG", "svg")).toString();
  check("names that are markup are texts in it, and no path in its name", !/<script|onload=|onerror=/i.test(hostile.replaceAll(/>[^<]*</g, "><")) && !title.includes("/"), title.slice(0, 60));

  // On paper.
  await browser.open(path, "tab=functions");
  await browser.client.Emulation.setEmulatedMedia({ media: "print" });
  const paper = await browser.evaluate("({ controls: [...document.querySelectorAll('select, .search')].filter((one) => one.offsetParent).length, scroll: getComputedStyle(document.body).overflow, table: document.querySelector('.panels table').offsetHeight <= document.querySelector('.panels').offsetHeight, cards: document.querySelector('.findings').scrollHeight <= document.querySelector('.findings').offsetHeight + 1 })");
  await browser.client.Emulation.setEmulatedMedia({ media: "" });
  check("on paper nothing is cut and there are no controls", paper.controls === 0 && paper.scroll === "visible" && paper.table && paper.cards, JSON.stringify(paper));

  // In words.
  await browser.open(path);
  const words = await browser.evaluate("[...document.querySelectorAll('canvas')].map((canvas) => canvas.getAttribute('aria-label'))");
  check("pictures have words", words.every(Boolean) && words.some((text) => /^code against time, whole run: processor time: app\+0x30 66\.7 %, app\+0x40 33\.3 %$/.test(text)) && words.some((text) => /^threads against time, whole run: 2 threads: computing in the program 75.\d %, waiting 25.\d %|^threads against time, whole run: 2 threads: computing in the program 75.\d %, waiting 24.\d %/.test(text)), words.join(" | "));

  // Colours.
  for (const theme of ["dark", "light"]) {
    await browser.open(path, `theme=${theme}&colours=cvd`);
    const { channels, ground } = await browser.evaluate("(() => { const { channels, ground } = kymo.palette(); return { channels, ground }; })()");
    for (const [name, vision] of Object.entries(kVisions)) {
      const seen = [...channels, ground].map((colour) => lab(colour, vision));
      let least = Infinity;
      seen.forEach((a, at) => seen.slice(at + 1).forEach((b) => (least = Math.min(least, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])))));
      check(`${theme}, ${name}: any two colours of states are apart`, least >= 18, `ΔE*ab ${least.toFixed(1)}`);
    }
    const [alarm, good] = await browser.evaluate("['--alarm', '--good'].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()).map((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)))");
    for (const [name, vision] of Object.entries(kVisions)) {
      const [a, b] = [lab(alarm, vision), lab(good, vision)];
      const apart = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      check(`${theme}, ${name}: what is wrong and what is right are apart`, apart >= 40, `ΔE*ab ${apart.toFixed(1)}`);
    }
  }
  await browser.open(path);
  await browser.evaluate("[...document.querySelectorAll('.top button')].find((button) => /vision/.test(button.title)).click()");
  await browser.settle();
  check("a button chooses them, and the address keeps it", await browser.evaluate("location.hash.includes('colours=cvd') && document.documentElement.dataset.colours === 'cvd'"));
}

// ---- running ----

const tools = { build, kymo, here, work, check, run, page, made, stored, tabs: [...kTabs, "channels"], writeFile: writeFileSync };
const ofOthers = Object.fromEntries(Object.entries({ ...layout, ...addressMap, ...serving, keyboard, readable }).map(([name, test]) => [name, (browser) => test(browser, tools)]));
const parts = { sources, kinds, links, channels, memory, metrics, hostile, picture, compared, patterns, search, flames, lines, files, gaps, ...ofOthers };
if (!parts[part]) {
  console.error(`usage: test_page.mjs BUILD ${Object.keys(parts).join("|")}`);
  process.exit(2);
}
if (!existsSync(modules)) {
  skip("the packages of web/ are not installed");
}
if (part !== "sources" && !findChromium()) {
  skip("Chromium is not installed (apt-get install chromium)");
}
let browser = null;
try {
  browser = part === "sources" ? null : await startBrowser(modules);
  await parts[part](browser);
} catch (error) {
  check(`the test itself: ${error.stack ?? error}`, false);
} finally {
  await browser?.close();
  rmSync(work, { recursive: true, force: true });
}
console.log(`${checks - failures} passed, ${failures} failed`);
process.exit(failures || !checks ? 1 : 0);
