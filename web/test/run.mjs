// Bundles test/*.test.ts and runs them with node's own test runner.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), "stopover-web-"));
const entryPoints = readdirSync(here)
  .filter((f) => f.endsWith(".test.ts"))
  .map((f) => join(here, f));
await build({
  entryPoints,
  outdir: out,
  bundle: true,
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  logLevel: "error",
});
const { status } = spawnSync(process.execPath, ["--test", ...readdirSync(out).map((f) => join(out, f))], {
  stdio: "inherit",
});
rmSync(out, { recursive: true });
process.exit(status ?? 1);
