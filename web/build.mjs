// node build.mjs MODULES FOLDER: src/ bundled into HTML files, one a page. A script's hash goes into its page's content policy, so
// that nothing else can ever run in it.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.argv[2] ?? join(here, "node_modules"));
const folder = process.argv[3] ?? here;
const esbuild = createRequire(join(modules, "x.js"))("esbuild");

async function bundle(entry, more) {
  const built = await esbuild.build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    charset: "ascii",
    logLevel: "warning",
    ...more,
  });
  return built.outputFiles[0].text.trim();
}

for (const [page, script, style, title, verb] of [
  ["page.html", "src/main.ts", "src/style.css", "Kymo", "kymo report"],
  ["diff.html", "src/diff.ts", "src/diff.css", "Kymo: two runs", "kymo diff"],
]) {
  const code = await bundle(script, { format: "iife", legalComments: "none", nodePaths: [modules] });
  if (code.includes("</script") || code.includes("<!--")) {
    throw new Error(`${script}: the bundled script would end its own element`);
  }
  const parts = {
    "KYMO-TITLE": title,
    "KYMO-VERB": verb,
    "<!--KYMO-STYLE-->": await bundle(style, {}),
    "<!--KYMO-SCRIPT-->": code,
    "KYMO-HASH": `sha256-${createHash("sha256").update(code).digest("base64")}`,
  };
  let text = readFileSync(join(here, "src/page.html"), "utf8");
  for (const [mark, part] of Object.entries(parts)) {
    text = text.split(mark).join(part);
  }
  writeFileSync(join(folder, page), text);
}
