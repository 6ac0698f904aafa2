// `kymo view --serve` in a browser. A part of test_page.mjs, which gives it its tools.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

// `kymo view --serve` of a recording; ends with stop().
async function startServer({ kymo, work }, name) {
  const child = spawn(kymo, ["view", "--serve", join(work, `${name}.kymo`)], { stdio: ["ignore", "pipe", "ignore"] });
  process.on("exit", () => child.kill());
  const address = await new Promise((found, failed) => {
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      const line = /^(http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/)\n/.exec(text);
      if (line) {
        found(line[1]);
      }
    });
    child.on("exit", (code) => failed(new Error(`kymo view --serve ended with ${code}: ${text}`)));
  });
  const stop = () =>
    new Promise((ended) => {
      child.removeAllListeners("exit");
      child.on("exit", (code) => ended(code));
      child.kill("SIGINT");
    });
  return { address, stop };
}

// The page of a first look: what it is of, and its exchange for the page of everything.
export async function look(browser, tools) {
  const { build, run, work, check } = tools;
  run(join(build, "tests", "page_recordings"), work, "long");
  const server = await startServer(tools, "long");
  let page = "";
  while (!page.includes("x-kymo")) {
    page = await (await fetch(`${server.address}?first`)).text();
  }
  // As a file it stays what it is.
  writeFileSync(join(work, "first.html"), page);
  await browser.open(join(work, "first.html"));
  const seen = await browser.evaluate(`({
    excerpt: kymo.model.excerpt,
    banner: document.querySelector('.banner').innerText,
    tabs: [...document.querySelectorAll('[role=tab]')].filter((tab) => tab.offsetParent).map((tab) => tab.id).join(),
    cards: document.querySelector('.findings').innerText,
    view: document.querySelector('.summary')?.textContent ?? document.body.innerText.match(/In view.*/)?.[0],
  })`);
  const { read, of } = seen.excerpt;
  check("first look: of all samples", of === 3500000 && read > 500000 && read < 2500000, JSON.stringify(seen.excerpt));
  check("first look: says so", seen.banner.includes(`1 sample of ${Math.round(of / read)} was read, all figures are estimates`) && seen.banner.includes(`${read.toLocaleString("en-US")} of 3,500,000 samples read`), seen.banner);
  check("first look: draws no conclusions", /come with the whole analysis/.test(seen.cards) && !/FINDING|stands out/i.test(seen.cards.replace(/Findings, occurrences.*/, "")), seen.cards);
  check("first look: only views that it fills", seen.tabs === "tab-paths,tab-functions,tab-source", seen.tabs);
  check("first look: figures are estimates", /^about /.test(seen.view), seen.view);
  // What it shows of each half of a turn is one function's, for all of the time.
  const times = (from, to) => browser.evaluate(`(() => { kymo.store.set({ brush: [${from}e9, ${to}e9] }); const { byState } = kymo.region(); const sums = {}; byState.forEach((ns, at) => { if (ns) { const leaf = at >> 3; const node = kymo.model.leafNode[leaf]; const name = kymo.model.functions.name[kymo.model.nodeFunction[node]]; sums[name] = (sums[name] ?? 0) + ns / 1e9; } }); return sums; })()`);
  for (const [from, to, name] of [[100, 400, "app+0x30"], [600, 900, "app+0x40"], [3100, 3400, "app+0x30"]]) {
    const sums = await times(from, to);
    check(`first look: ${from} to ${to} s is all ${name}`, Object.keys(sums).length === 1 && Math.abs(sums[name] - (to - from)) < 1, JSON.stringify(sums));
  }

  // From the server it is exchanged, and what was chosen stays.
  await browser.go(`${server.address}?first#t=500000000000-1500000000000&rows=function&tab=functions&space=f1&theme=dark`);
  await browser.until("window.kymo && kymo.model.excerpt === null", 60000);
  await browser.settle();
  const whole = await browser.evaluate("({ hash: location.hash, search: location.search, samples: kymo.model.run.samples, bar: document.querySelector('.banner .verdict').innerText })");
  check("first look: is exchanged for the whole", whole.samples === 3500000 && whole.search === "?look=1" && !/First look/.test(whole.bar), JSON.stringify(whole));
  check("first look: zoom, rows, tab and theme stay", whole.hash === "#t=500000000000-1500000000000&rows=function&tab=functions&theme=dark", whole.hash);
  check("first look: nothing else was fetched", browser.requests.every((url) => url.startsWith(server.address) || /^(about|data|file):/.test(url)), browser.requests.join().slice(0, 300));
  check("first look: nothing on the console", browser.said.length === 0, browser.said.join("; ").slice(0, 500));
  await server.stop();
}

export async function served(browser, tools) {
  const { kymo, work, check, made } = tools;
  made();
  const server = await startServer(tools, "halves");
  const range = () => browser.evaluate("kymo.model.range.join()");
  const bar = () => browser.evaluate("[...document.querySelectorAll('.served button')].map((one) => one.textContent + (one.disabled ? ' (off)' : '')).join()");
  const press = async (words, wanted) => {
    await browser.evaluate(`[...document.querySelectorAll('.served button')].find((one) => one.textContent === '${words}').click()`);
    await browser.until(`window.kymo && ${wanted}`, 60000);
    await browser.settle();
  };
  await browser.go(`${server.address}#rows=function`);
  check("served: the whole run", (await range()) === "0,100000000", await range());
  check("served: nothing is closer than all", (await bar()) === "More detail (off)", await bar());
  await browser.evaluate("kymo.store.set({ brush: [25e6, 50e6] })");
  await browser.settle();
  await press("More detail", "kymo.model.range[0] === 25000000");
  check("served: a page of the brush alone", (await range()) === "25000000,50000000", await range());
  check("served: what was chosen stays", await browser.evaluate("kymo.store.view.order === 'function' && kymo.store.view.brush === null"));
  check("served: and the way back", (await bar()) === "More detail (off),Whole run", await bar());
  await press("Whole run", "kymo.model.range[0] === 0");
  check("served: is one", (await range()) === "0,100000000", await range());
  check("served: nothing else was fetched", browser.requests.every((url) => url.startsWith(server.address) || /^(about|data|file):/.test(url)), browser.requests.join().slice(0, 300));
  check("served: nothing on the console", browser.said.length === 0, browser.said.join("; ").slice(0, 500));
  const [other, root] = await Promise.all([fetch(server.address.replace(/[0-9a-f]{32}/, "0".repeat(32))), fetch(new URL("/", server.address))]);
  check("served: refused without the address", other.status === 404 && root.status === 404, `${other.status} ${root.status}`);
  check("served: Ctrl-C ends it", (await server.stop()) === 0);

  // A program that runs until its input ends.
  const child = spawn(kymo, ["record", "-q", "-o", join(work, "runs.kymo"), "--", "sh", "-c", 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; echo there; read line'], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((there) => child.stdout.on("data", there));
  const live = await startServer(tools, "runs");
  await browser.go(live.address);
  check("served: a program that still runs can be read again", (await bar()) === "More detail (off),Read again", await bar());
  child.stdin.end();
  await new Promise((ended) => child.on("exit", ended));
  await press("Read again", "kymo.model.served.look === 2");
  check("served: when it has ended it is whole", (await bar()) === "More detail (off)", await bar());
  await live.stop();
}
