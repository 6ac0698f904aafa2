// A headless Chromium to open pages in, over the DevTools protocol: what it says on its console is kept, the pointer and the
// keyboard are real ones. Used by the page's tests and by its benchmark.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

// What moves the focus or presses a button needs its number too.
const kKeyNumbers = { Tab: 9, Enter: 13, Escape: 27, " ": 32, End: 35, Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };

export function findChromium() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (found) {
      return found;
    }
  }
  return null;
}

// `modules`: a node_modules that has chrome-remote-interface (the build's web/node_modules).
export async function startBrowser(modules, { width = 1280, height = 800, scale = 1 } = {}) {
  const connect = createRequire(join(resolve(modules), "x.js"))("chrome-remote-interface");
  const profile = mkdtempSync(join(tmpdir(), "kymo-chromium-"));
  const child = spawn(
    findChromium(),
    [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--mute-audio", "--font-render-hinting=none",
      "--remote-debugging-port=0", `--user-data-dir=${profile}`, `--window-size=${width},${height}`, "about:blank",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const port = await new Promise((resolve, reject) => {
    let text = "";
    const late = setTimeout(() => reject(new Error(`Chromium does not start: ${text.slice(-500)}`)), 60000);
    child.stderr.on("data", (bytes) => {
      text += bytes;
      const found = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(text);
      if (found) {
        clearTimeout(late);
        resolve(Number(found[1]));
      }
    });
    child.on("exit", () => reject(new Error(`Chromium ended: ${text.slice(-500)}`)));
  });
  const client = await connect({ port });
  const whole = await connect({ port, target: (await connect.Version({ port })).webSocketDebuggerUrl });
  const { Page, Runtime, Log, Network, Input, Emulation } = client;
  const said = [];
  const requests = [];
  Runtime.consoleAPICalled(({ type, args }) => {
    if (type === "error" || type === "warning" || type === "assert") {
      said.push(`${type}: ${args.map((arg) => arg.value ?? arg.description).join(" ")}`);
    }
  });
  Runtime.exceptionThrown(({ exceptionDetails }) => said.push(`exception: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`));
  Log.entryAdded(({ entry }) => said.push(`${entry.level}: ${entry.text}`));
  Network.requestWillBeSent(({ request }) => requests.push(request.url));
  await Promise.all([Page.enable(), Runtime.enable(), Log.enable(), Network.enable()]);
  const size = (wide, tall, factor = 1) =>
    Emulation.setDeviceMetricsOverride({ width: wide, height: tall, deviceScaleFactor: factor, mobile: false });
  await size(width, height, scale);

  const browser = {
    client, // of the DevTools protocol
    said, // what went wrong on the console
    requests, // every address asked for
    size,

    async evaluate(expression) {
      const { result, exceptionDetails } = await Runtime.evaluate({ expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) {
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      }
      return result.value;
    },

    // Opens a file, and waits until its first picture stands.
    async open(path, hash = "") {
      await browser.go(pathToFileURL(path).href + (hash ? `#${hash}` : ""));
    },

    // The same of an address.
    async go(url) {
      await Page.navigate({ url: "about:blank" });
      await Page.navigate({ url });
      await browser.until("performance.getEntriesByName('kymo-first-picture').length > 0 || document.body.innerText.includes('cannot be shown')");
      await browser.settle();
    },

    async until(expression, limit = 120000) {
      const end = Date.now() + limit;
      while (!(await browser.evaluate(`!!(${expression})`).catch(() => false))) {
        if (Date.now() > end) {
          throw new Error(`still not so after ${limit} ms: ${expression}; the console says: ${said.join("; ").slice(0, 1000)}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },

    // Until what was asked for is drawn, and all data that it needed are read.
    async settle() {
      const frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
      await browser.evaluate(frames);
      await browser.until("!window.kymo || window.kymo.isQuiet()");
      await browser.evaluate(frames);
    },

    async mouse(type, x, y, more = {}) {
      await Input.dispatchMouseEvent({ type, x, y, button: "none", ...more });
    },

    async click(x, y) {
      await browser.mouse("mouseMoved", x, y);
      await browser.mouse("mousePressed", x, y, { button: "left", clickCount: 1 });
      await browser.mouse("mouseReleased", x, y, { button: "left", clickCount: 1 });
      await browser.settle();
    },

    async drag(x0, y0, x1, y1) {
      await browser.mouse("mouseMoved", x0, y0);
      await browser.mouse("mousePressed", x0, y0, { button: "left", clickCount: 1 });
      for (let i = 1; i <= 5; i++) {
        await browser.mouse("mouseMoved", x0 + ((x1 - x0) * i) / 5, y0 + ((y1 - y0) * i) / 5, { button: "left" });
      }
      await browser.mouse("mouseReleased", x1, y1, { button: "left", clickCount: 1 });
      await browser.settle();
    },

    // `shift`: held meanwhile.
    async key(key, code = key, { shift = false } = {}) {
      const windowsVirtualKeyCode = kKeyNumbers[key];
      const more = { key, code, windowsVirtualKeyCode, modifiers: shift ? 8 : 0 };
      await Input.dispatchKeyEvent({ type: "keyDown", ...more, text: key === "Enter" ? "\r" : key.length === 1 ? key : undefined });
      await Input.dispatchKeyEvent({ type: "keyUp", ...more });
      await browser.settle();
    },

    // Seconds of processor time that the browser's processes took so far, all of them together.
    async processorTime() {
      return (await browser.processes()).reduce((sum, one) => sum + one.cpuTime, 0);
    },
    async processes() {
      return (await whole.SystemInfo.getProcessInfo()).processInfo;
    },

    // PNG bytes.
    async picture() {
      const { data } = await Page.captureScreenshot({ format: "png" });
      return Buffer.from(data, "base64");
    },

    async close() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      await client.Browser.close().catch(() => child.kill());
      await gone;
      // Its helpers may still be writing for a moment.
      for (let left = 20; left > 0; left--) {
        try {
          rmSync(profile, { recursive: true, force: true });
          return;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      }
    },
  };
  return browser;
}
