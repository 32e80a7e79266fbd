// Pictures of a page for the eye and for the README: light, dark, phone, drill-down, circle.
//
//   node screenshots.mjs PAGE.html WEB_FOLDER CHROMIUM OUT_FOLDER
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [file, web, executablePath, out] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(web), "package.json"))("playwright-core");
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
const desk = { viewport: { width: 1360, height: 850 } };
const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 };
const shots = [
  ["light", desk, ""],
  ["dark", { ...desk, colorScheme: "dark" }, "stop=destination&at.origin=circle:-0.005,-0.02,2.5"],
  ["circle", desk, "at.origin=circle:-0.005,-0.02,2.5"],
  ["drill_down", desk, "stop=stop&at.origin=bbox:-0.0375,0,-0.0125,0.025&at.destination=bbox:0,-0.05,0.025,-0.025"],
  ["uncertainty", desk, "shade=doubt&flows=0&hide=0"],
  ["phone", phone, ""],
].filter(([name]) => !process.env.ONLY || process.env.ONLY.split(",").includes(name));
for (const [name, options, hash] of shots) {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(`file://${resolve(file)}#${hash}`);
  await page.waitForSelector("#estimate", { timeout: 60_000 });
  await page.waitForFunction(() => !/searching …|working out/.test(document.body.innerText), undefined, {
    timeout: 60_000,
  });
  await page.screenshot({ path: join(out, `${name}.png`), fullPage: name === "phone" });
  await page.close();
}
await browser.close();
