// node shot.mjs MODULES PAGE OUT.png [WIDTHxHEIGHT [HASH]]: a picture of a page, as for the README.
import { writeFileSync } from "node:fs";
import { startBrowser } from "./browser.mjs";

const [modules, page, out, size = "1280x800", hash = ""] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);
const browser = await startBrowser(modules, { width, height });
try {
  await browser.open(page, hash);
  writeFileSync(out, await browser.picture());
  for (const line of browser.said) {
    console.error(line);
  }
} finally {
  await browser.close();
}
