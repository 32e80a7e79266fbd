// Builds the page's template: the bundled script, the style and the engine in one HTML text, with the places @@TITLE@@,
// @@STATIC@@, @@DATA@@, @@RELEASES@@ and, for map tiles, @@ALSO@@ and @@TILES@@ left for the program to fill
// (src/page). The script for map tiles is apart, its hash for the policy on the first line: only a page that is served
// with tiles has it.
//
// The desk's page is whole: it has nothing to fill in.
//
//   node build.mjs ENGINE.wasm OUT.html TILES.txt DESK.html
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [engine, out, tilesOut, deskOut] = process.argv.slice(2);

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

const safe = (text) => text.replaceAll("</script", "<\\/script");
const script = safe(await bundle("main.tsx"));
const tiles = safe(await bundle("tiles.ts"));
const style = await bundle("style.css", { format: undefined });
const noscript = ".static { display: block; } #wait { display: none; }";
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy =
  `default-src 'none'; style-src ${hash(style)} ${hash(noscript)}; img-src data: blob:; ` +
  `base-uri 'none'; form-action 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'@@ALSO@@`;

const parts = {
  POLICY: policy,
  STYLE: style,
  SCRIPT: script,
  ENGINE: gzipSync(readFileSync(engine), { level: 9 }).toString("base64"),
};
const page = readFileSync(join(here, "src/index.html"), "utf8").replace(
  /@@(\w+)@@/g,
  (place, name) => parts[name] ?? place,
);
for (const name of ["ALSO", "TITLE", "STATIC", "DATA", "RELEASES", "TILES"]) {
  if (page.split(`@@${name}@@`).length !== 2) throw new Error(`the template must have @@${name}@@ once`);
}
writeFileSync(out, page);
writeFileSync(tilesOut, `${hash(tiles)}\n${tiles}`);

const deskScript = safe(await bundle("desk/main.tsx"));
const deskStyle = await bundle("desk/style.css", { format: undefined });
const deskPolicy =
  `default-src 'none'; style-src ${hash(deskStyle)}; img-src data: blob:; connect-src 'self'; frame-src 'self'; ` +
  `base-uri 'none'; form-action 'none'; script-src ${hash(deskScript)}`;
const deskParts = { POLICY: deskPolicy, STYLE: deskStyle, SCRIPT: deskScript };
writeFileSync(
  deskOut,
  readFileSync(join(here, "src/desk/index.html"), "utf8").replace(/@@(\w+)@@/g, (_, name) => deskParts[name]),
);
