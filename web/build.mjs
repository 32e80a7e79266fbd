// Builds the page's template: the bundled script, the style and the engine in one HTML text, with the places @@TITLE@@,
// @@STATIC@@, @@DATA@@ and @@RELEASES@@ left for the program to fill (src/page).
//
//   node build.mjs ENGINE.wasm OUT.html
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [engine, out] = process.argv.slice(2);

const bundle = async (entry, loader) => {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    format: "iife",
    charset: "utf8",
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    ...loader,
  });
  return result.outputFiles[0].text.trim();
};

const script = (await bundle("main.tsx")).replaceAll("</script", "<\\/script");
const style = await bundle("style.css", { format: undefined });
const noscript = ".static { display: block; } #wait { display: none; }";
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy =
  `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'; style-src ${hash(style)} ${hash(noscript)}; ` +
  "img-src data: blob:; base-uri 'none'; form-action 'none'";

const parts = {
  POLICY: policy,
  STYLE: style,
  SCRIPT: script,
  ENGINE: gzipSync(readFileSync(engine), { level: 9 }).toString("base64"),
};
const page = readFileSync(join(here, "src/index.html"), "utf8").replace(/@@(\w+)@@/g, (place, name) => parts[name] ?? place);
for (const name of ["TITLE", "STATIC", "DATA", "RELEASES"]) {
  if (page.split(`@@${name}@@`).length !== 2) throw new Error(`the template must have @@${name}@@ once`);
}
writeFileSync(out, page);
