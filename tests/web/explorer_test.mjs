// The explorer in a real browser: what a person sees and does, and that its numbers are the command line's.
//
//   node explorer_test.mjs STOPOVER WEB_FOLDER CHROMIUM
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const [stopover, web, chromiumPath] = process.argv.slice(-3);
const require = createRequire(join(web, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const kFirstFrame = 1500; // milliseconds, on a machine that has a core to spare
const kInteraction = 100;
const kBusy = 2 + (3 * loadavg()[0]) / cpus().length; // how many times longer it may take where others work beside

const work = mkdtempSync(join(tmpdir(), "stopover-explorer-"));
const release = join(work, "city.odr");
const url = `file://${join(work, "city.html")}`;
let browser;
let page;
const requests = [];
const complaints = [];

const run = (...args) => execFileSync(stopover, args, { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

async function open(context, address) {
  const opened = await context.newPage();
  opened.setDefaultTimeout(45_000);
  opened.on("request", (r) => requests.push(r.url()));
  opened.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
  opened.on("pageerror", (e) => complaints.push(e.message));
  await opened.goto(address);
  return opened;
}
const settled = (p) => p.waitForFunction(() => !document.body.innerText.includes("searching …") && !document.body.innerText.includes("working out"));
const shown = (p) => p.$eval("#estimate", (e) => ({ ...e.dataset }));
const hash = (p) => p.evaluate(() => decodeURIComponent(location.hash));

// The command line's answer to a question, by its twelve digits.
function told(question) {
  writeFileSync(join(work, "question.json"), JSON.stringify(question));
  const a = JSON.parse(run("query", release, "--spec", join(work, "question.json"), "--json"));
  return { digits: String(a.estimate), lower: String(a.noise_lower), upper: String(a.noise_upper) };
}
async function agrees(p, question) {
  const { digits, lower, upper } = await shown(p);
  assert.deepEqual({ digits, lower, upper }, told(question));
}
async function go(p, to) {
  await p.evaluate((h) => { location.hash = h; }, to);
  await p.waitForFunction((h) => location.hash.replace(/^#/, "") === h, to);
  await settled(p);
}

before(async () => {
  run("generate", "city", "--stops", "3", "--n", "60000", "--grid", "500", "--seed", "3", "-o", "trips.parquet");
  run("publish", "--matrix", "trips.parquet", "--shape", "500x500x500x500x500x500", "--stops", "origin,stop,destination",
    "--bbox=-0.1,-0.1,0.1,0.1", "--epsilon", "1", "--ledger", "city.ledger", "--budget", "1", "-o", "city.odr");
  run("html", "city.odr", "-o", "city.html");
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
  page = await open(await browser.newContext({ viewport: { width: 1280, height: 800 } }), url);
  await page.waitForSelector("#estimate");
});
after(async () => {
  await browser?.close();
  rmSync(work, { recursive: true, force: true });
});

test("opens from disk with one request and no complaint", async () => {
  await settled(page);
  assert.deepEqual(requests, [url]);
  assert.deepEqual(complaints, []);
  const first = await page.evaluate(() => performance.getEntriesByName("stopover-painted")[0].startTime);
  const boxes = await page.$eval(".facts", (e) => e.textContent);
  console.log(`page: ${statSync(join(work, "city.html")).size} bytes; first frame after ${Math.round(first)} ms; ${boxes}`);
  assert.ok(statSync(join(work, "city.html")).size < 3e6);
  assert.ok(first < kBusy * kFirstFrame, `${first} ms`);
  await agrees(page, {});
});

test("a click drills down, a second one lets go", async () => {
  const box = await page.locator("#map").boundingBox();
  const at = [box.x + box.width / 2, box.y + box.height / 2];
  await page.evaluate(() => performance.clearMarks());
  await page.mouse.click(...at);
  await page.waitForFunction(() => location.hash.includes("at.origin=bbox"));
  await page.waitForFunction(() => performance.getEntriesByName("stopover-painted").length > 0);
  const took = await page.evaluate(() => performance.getEntriesByName("stopover-painted")[0].startTime - performance.getEntriesByName("stopover-asked")[0].startTime);
  console.log(`from the click to the new picture: ${Math.round(took)} ms`);
  assert.ok(took < kBusy * kInteraction, `${took} ms`);
  await settled(page);
  assert.match(await page.innerText("aside"), /after: stop by zone/i);
  const bbox = (await hash(page)).match(/at\.origin=bbox:([^&]*)/)[1].split(",").map(Number);
  await agrees(page, { where: { origin: { bbox } } });
  await page.mouse.click(...at);
  await page.waitForFunction(() => !location.hash.includes("at.origin"));
});

test("a drawn circle, and any region, has the command line's numbers", async () => {
  const box = await page.locator("#map").boundingBox();
  const [x, y] = [box.x + box.width / 2 - 30, box.y + box.height / 2 + 20];
  await page.getByRole("button", { name: "Circle" }).click();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y + 30, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => location.hash.includes("circle"));
  await settled(page);
  const circle = (await hash(page)).match(/at\.origin=circle:([^&]*)/)[1].split(",").map(Number);
  await agrees(page, { where: { origin: { circle } } });
  const ring = [[-0.05, -0.03], [0.06, -0.05], [0.01, 0.07]];
  await go(page, `at.origin=circle:0.01,0.005,2.5&at.destination=polygon:${ring.map((q) => q.join("%20")).join(",")}`);
  await agrees(page, { where: { origin: { circle: [0.01, 0.005, 2.5] }, destination: { polygon: { type: "Polygon", coordinates: [[...ring, ring[0]]] } } } });
  await go(page, "");
});

test("works by keyboard alone", async () => {
  await page.focus("#map");
  for (const key of ["ArrowLeft", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  await page.waitForFunction(() => location.hash.includes("bbox"));
  await page.keyboard.press("Delete");
  await page.waitForFunction(() => !location.hash.includes("bbox"));
  for (const key of ["c", "Enter", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await page.waitForFunction(() => location.hash.includes("circle"));
  await page.getByRole("button", { name: "Table" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog table");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.getByRole("button", { name: /2\. stop/ }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("stop=stop"));
  await go(page, "");
});

test("axe finds nothing serious, light, dark and in the dialogs", async () => {
  const faults = async () => {
    await page.evaluate(axe);
    const result = await page.evaluate(() => globalThis.axe.run());
    return result.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" ").slice(0, 300)}`);
  };
  await go(page, "at.origin=circle:0,0,2");
  assert.deepEqual(await faults(), []);
  await page.getByRole("button", { name: "Guarantee" }).click();
  assert.deepEqual(await faults(), []);
  await page.keyboard.press("Escape");
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await faults(), []);
  await page.emulateMedia({ colorScheme: "light" });
  await go(page, "");
});

test("fits a phone", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `${wide} pixels`);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("colours change with the map; paper is light and its map a drawing", async () => {
  const corner = () => page.evaluate(() => Array.from(document.querySelector(".map canvas").getContext("2d").getImageData(2, 2, 1, 1).data.slice(0, 3)));
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const light = await corner();
  await page.getByRole("button", { name: /Colours/ }).click();
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  await page.waitForTimeout(100);
  const dark = await corner();
  assert.ok(Math.max(...dark) < 80 && Math.min(...light) > 200, `${light} ${dark}`);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await theme(), "light");
  const drawing = await page.$eval(".paper svg", (e) => e.outerHTML);
  assert.ok(drawing.includes(`rgb(${light.join(", ")})`) && !drawing.includes(`rgb(${dark.join(", ")})`));
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await theme(), "dark");
  assert.equal(await page.$(".paper svg"), null);
  await page.getByRole("button", { name: /Colours/ }).click();
});

test("downloads the table", async () => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.selectOption("select[aria-label=Download]", "csv")]);
  const text = readFileSync(await download.path(), "utf8");
  assert.match(text, /^what,where,estimate,lower,upper,noise_lower,noise_upper\nanswer,the question,\d/);
  // The release has learned its intervals: each holds its estimate, which the noise's need not do.
  const rows = text.trim().split("\n").slice(1).map((line) => line.split(",").slice(-5).map(Number));
  assert.ok(rows.length > 100);
  for (const [estimate, lower, upper] of rows) assert.ok(lower <= estimate && estimate <= upper, `${lower} ${estimate} ${upper}`);
  assert.ok(rows.some(([, lower, upper, noiseLower, noiseUpper]) => upper - lower > noiseUpper - noiseLower));
  assert.match(await page.innerText("section[aria-label='Largest flows']"), /likely, 95 %/);
});

test("zones that are dropped are asked for, and travel in the address", async () => {
  const square = (w, name) => ({ type: "Feature", properties: { name }, geometry: { type: "Polygon", coordinates: [[[w, -0.04], [w + 0.05, -0.04], [w + 0.05, 0.04], [w, 0.04], [w, -0.04]]] } });
  const features = [square(-0.05, "West"), square(0, "East")];
  writeFileSync(join(work, "zones.geojson"), JSON.stringify({ type: "FeatureCollection", features }));
  await go(page, "");
  await page.setInputFiles("input[type=file]", join(work, "zones.geojson"));
  await page.waitForFunction(() => location.hash.includes("areas="));
  const box = await page.locator("#map").boundingBox();
  await page.mouse.click(box.x + box.width / 2 + 30, box.y + box.height / 2);
  await page.waitForFunction(() => location.hash.includes("at.origin=area:East"));
  await settled(page);
  await agrees(page, { where: { origin: { polygon: features[1].geometry } } });
  const again = await open(page.context(), await page.evaluate(() => location.href));
  await again.waitForFunction(() => document.body.innerText.includes("2 zones; click one"));
  await settled(again);
  await agrees(again, { where: { origin: { polygon: features[1].geometry } } });
  await again.close();
  await page.goto("about:blank");
  await page.goto(url);
  await page.waitForSelector("#estimate");
});

test("two releases in one page are compared", async () => {
  run("publish", "--matrix", "trips.parquet", "--shape", "500x500x500x500x500x500", "--stops", "origin,stop,destination", "--bbox=-0.1,-0.1,0.1,0.1",
    "--epsilon", "0.5", "--mechanism", "daf-entropy", "--ledger", "other.ledger", "--budget", "1", "--no-calibration", "-o", "other.odr");
  run("html", "city.odr", "other.odr", "-o", "both.html");
  const both = await open(await browser.newContext(), `file://${join(work, "both.html")}#at.origin=circle:0,0,2`);
  await both.waitForSelector("#estimate");
  assert.match(await both.innerText(".answer"), /other\.odr: [\d,]+ \(noise alone [−\d,]+ to [\d,]+\); here [+−][\d,]+/);
  await both.selectOption("select[aria-label=Release]", "1");
  await settled(both);
  assert.match(await both.innerText("section[aria-label='Largest flows']"), /noise alone, 95 %|No flow/);
  await both.close();
});

test("needs no WebGL; without WebAssembly there is still the picture", async () => {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = ((old) => function (kind, ...rest) { return kind === "2d" ? old.call(this, kind, ...rest) : null; })(HTMLCanvasElement.prototype.getContext);
  });
  const plain = await open(context, url);
  await plain.waitForSelector("#estimate");
  await plain.close();
  await context.addInitScript(() => { delete globalThis.WebAssembly; });
  const bare = await open(context, url);
  await bare.waitForSelector("#static img", { state: "visible" });
  assert.ok(await bare.$eval("#static img", (i) => i.naturalWidth > 300));
  await context.close();
});

test("is served as it is on disk, with an API", async () => {
  const server = spawn(stopover, ["serve", "city.odr", "--port", "0", "--json", "--log", "none"], { cwd: work, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await new Promise((done, fail) => {
      server.stdout.once("data", (d) => done(JSON.parse(d).url));
      server.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
    });
    const served = await open(await browser.newContext(), address);
    await served.waitForSelector("#estimate");
    await agrees(served, {});
    const question = { where: { stop: { circle: [0, 0, 3] } } };
    const reply = await fetch(`${address}api/query`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
    const { answer } = await reply.json();
    assert.deepEqual({ digits: String(answer.estimate), lower: String(answer.noise_lower), upper: String(answer.noise_upper) }, told(question));
  } finally {
    const gone = server.exitCode === null ? new Promise((done) => server.once("exit", done)) : server.exitCode;
    server.kill("SIGTERM");
    assert.equal(await gone, 0);
  }
});

test("nobody complained", () => {
  assert.deepEqual(complaints, []);
});
