// node build.mjs MODULES OUT: src/ bundled into one HTML file. The script's hash goes into the page's content policy, so that
// nothing else can ever run in it.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.argv[2] ?? join(here, "node_modules"));
const out = process.argv[3] ?? join(here, "page.html");
const esbuild = createRequire(join(modules, "x.js"))("esbuild");

const built = await esbuild.build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  nodePaths: [modules],
  logLevel: "warning",
});
const style = await esbuild.build({
  absWorkingDir: here,
  entryPoints: ["src/style.css"],
  bundle: true,
  minify: true,
  write: false,
  target: "es2022",
  charset: "ascii",
  logLevel: "warning",
});
const script = built.outputFiles[0].text.trim();
if (script.includes("</script") || script.includes("<!--")) {
  throw new Error("the bundled script would end its own element");
}
const hash = createHash("sha256").update(script).digest("base64");
const parts = {
  "<!--KYMO-STYLE-->": style.outputFiles[0].text.trim(),
  "<!--KYMO-SCRIPT-->": script,
  "KYMO-HASH": `sha256-${hash}`,
};
let page = readFileSync(join(here, "src/page.html"), "utf8");
for (const [mark, text] of Object.entries(parts)) {
  page = page.split(mark).join(text);
}
writeFileSync(out, page);
