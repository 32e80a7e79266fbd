// The site in headless Chromium, from a disk: search, colours, a phone, and what axe finds on every page.
//
//   node browser_test.mjs OUT WEB_FOLDER [CHROMIUM]        OUT as scripts/site makes it
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";

const [out, web, chromiumPath = "/usr/bin/chromium"] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(web, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const pages = ["index.html"];
for (const folder of ["guide", "internals", "project", "reference"]) {
  for (const name of readdirSync(join(out, folder))) if (name.endsWith(".html")) pages.push(`${folder}/${name}`);
}
let browser;
const complaints = [];

async function open(place, { colours = "light", width = 1400, height = 900 } = {}) {
  const context = await browser.newContext({ colorScheme: colours, viewport: { width, height } });
  const page = await context.newPage();
  page.on("pageerror", (e) => complaints.push(`${place}: ${e.message}`));
  page.on("console", (m) => m.type() === "error" && complaints.push(`${place}: ${m.text()}`));
  page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || complaints.push(`${place} asks for ${r.url()}`));
  await page.goto(`file://${join(out, place)}`);
  return page;
}

before(async () => {
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
});
after(async () => {
  await browser.close();
  assert.deepEqual(complaints, []);
});

test("search finds a word of the glossary, from a disk and from any folder", async () => {
  for (const place of ["index.html", "internals/anchor.html"]) {
    const page = await open(place);
    await page.keyboard.press("/");
    await page.keyboard.type("likely interval");
    const first = page.locator("#found a").first();
    await first.waitFor();
    assert.match(await first.getAttribute("href"), /guide\/glossary\.html#word-likely-interval$/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/glossary\.html#word-likely-interval$/);
    await page.context().close();
  }
});

test("search says so when there is nothing", async () => {
  const page = await open("index.html");
  await page.fill("#search", "xyzzy");
  await page.waitForFunction(() => document.getElementById("found").textContent === "Nothing found.");
  await page.context().close();
});

test("colours follow the system, then the button, and stay", async () => {
  const page = await open("index.html", { colours: "dark" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.click("#colours");
  const light = await paper();
  assert.notEqual(dark, light);
  await page.goto(`file://${join(out, "guide/cli.html")}`);
  assert.equal(await paper(), light);
  await page.context().close();
});

test("on a phone nothing is wider than the screen, and the menu is folded", async () => {
  for (const place of pages) {
    const page = await open(place, { width: 390, height: 844 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${place} is ${wide} wide`);
    assert.equal(await page.evaluate(() => document.getElementById("menu").open), false);
    await page.context().close();
  }
});

test("the demo answers inside its frame", async () => {
  const page = await open("demo.html");
  await page.locator("iframe").scrollIntoViewIfNeeded();
  const frame = page.frameLocator("iframe");
  await frame.locator("#estimate").waitFor({ timeout: 120_000 });
  assert.match(await frame.locator("#estimate").textContent(), /\d/);
  await page.context().close();
});

test("axe finds nothing on any page, light and dark", async () => {
  for (const colours of ["light", "dark"]) {
    for (const place of pages) {
      const page = await open(place, { colours });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run({ preload: false }));
      const told = violations.map((v) => `${v.id} (${v.impact}): ${v.nodes[0].html.slice(0, 200)}`);
      assert.deepEqual(told, [], `${place}, ${colours}`);
      await page.context().close();
    }
  }
});
