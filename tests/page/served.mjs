// `kymo view --serve` in a browser. A part of test_page.mjs, which gives it its tools.
import { spawn } from "node:child_process";
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
