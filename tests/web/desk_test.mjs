// The desk in a real browser: the whole way from a file to a page and a matrix, a month of a series, and a refusal; and
// that what it makes is what the command line makes that it shows.
//
//   node desk_test.mjs STOPOVER STOPOVER_LAB WEB_FOLDER CHROMIUM [FOLDER FOR SCREENSHOTS]
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { flowsCsv, folderWith, kPatience, launch, stationsCsv, stationTripsCsv, tripsCsv, withDesk } from "./desk_visit.mjs";

const given = process.argv.slice(2);
const [stopover, lab, web, chromiumPath, pictures = ""] = given;
const axe = readFileSync(createRequire(join(web, "package.json")).resolve("axe-core/axe.min.js"), "utf8");
const work = mkdtempSync(join(tmpdir(), "stopover-desk-"));
const kKey = "desk"; // of the laboratory: the same every time
const complaints = [];
const requests = [];
let browser;
let data;

before(async () => {
  data = folderWith(work, { "trips.csv": tripsCsv({ swapped: true }), "good.csv": tripsCsv({}) });
  folderWith(work, { "bikes.csv": stationTripsCsv(), "stations.csv": stationsCsv(), "census_flows.csv": flowsCsv() });
  browser = await launch(web, chromiumPath);
  if (pictures) mkdirSync(pictures, { recursive: true });
});
after(async () => {
  await browser?.close();
  rmSync(work, { recursive: true, force: true });
});

let number = 0;
// With its looks where somebody wants to see them, and what a screen reader would stumble over.
async function seen(page, name) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => globalThis.axe.run(document, { iframes: false }));
  const faults = result.violations
    .filter((v) => ["serious", "critical"].includes(v.impact))
    .map(
      (v) =>
        `${v.id}: ${v.nodes
          .map((n) => n.html)
          .join(" ")
          .slice(0, 300)}`,
    );
  assert.deepEqual(faults, [], `on ${name}`);
  if (pictures) {
    await page.screenshot({ path: join(pictures, `${String(++number).padStart(2, "0")}_${name}.png`), fullPage: true });
  }
}

async function visit(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(kPatience);
  page.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
  page.on("pageerror", (e) => complaints.push(e.message));
  page.on("request", (r) => requests.push(r.url()));
  await page.goto(url);
  await page.locator("#newname").waitFor();
  return page;
}
const begin = async (page, name) => {
  await page.fill("#newname", name);
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByRole("heading", { name: "Choose the data" }).waitFor();
};
const choose = async (page, file) => {
  await page.getByRole("button", { name: "Choose a file or folder" }).click();
  await page.locator("dialog[open]").waitFor();
  await page.locator("dialog li button", { hasText: file }).click();
  await page.locator(".deskmap").or(page.getByText("No pair of columns")).first().waitFor();
};
// Whether a step has its tick.
const ticked = async (page, name) =>
  (await page.locator("nav ol a", { hasText: name }).locator(".n").innerText()).trim() === "✓";
const step = (page, name) => page.locator("nav ol a", { hasText: name }).click();
const declareBox = async (page) => {
  for (const [side, degrees] of Object.entries({ West: "-118.62", South: "33.8", East: "-118", North: "34.3" })) {
    await page.getByLabel(side, { exact: true }).fill(degrees);
  }
  await page.locator("#cells").fill("100");
};
const declarePerson = async (page, k) => {
  await page.getByRole("radio", { name: /A person/ }).click();
  await page.locator("#k").fill(k);
};
const rehearse = async (page) => {
  await page.getByRole("button", { name: "Rehearse", exact: true }).click();
  await page.locator("h3", { hasText: "What would be counted" }).or(page.locator(".trouble")).first().waitFor();
  assert.equal(await page.locator(".trouble").count(), 0, await page.locator("main").innerText());
};
const publish = async (page, name) => {
  await page.getByRole("button", { name: "Next: publish" }).click();
  await page.locator("#confirm").waitFor();
  assert.equal(await page.locator(".spend").isDisabled(), true, "nothing is spent before the name is typed");
  await page.fill("#confirm", name);
  await page.locator(".spend").click();
  await page.getByRole("heading", { name: "Published" }).waitFor();
};
const ledgerOf = (path, program = lab) =>
  JSON.parse(execFileSync(program, ["ledger", path, "--json", "--state", join(work, "state")], { encoding: "utf8" }));

// A ledger has an id of its own and its records a time; what is hashed with these differs, and nothing else does.
const withoutHashes = (text) => text.replaceAll(/[0-9a-f]{64}|[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:]+Z/g, "...");
const tablesOf = (path) =>
  readdirSync(path)
    .filter((f) => f.endsWith(".parquet"))
    .sort();
function tellsTheSame(one, other) {
  assert.ok(tablesOf(one).length > 0);
  assert.deepEqual(tablesOf(one), tablesOf(other));
  for (const table of tablesOf(one))
    assert.deepEqual(readFileSync(join(one, table)), readFileSync(join(other, table)), table);
  const told = (path) => withoutHashes(readFileSync(join(path, "release.json"), "utf8"));
  assert.equal(told(one), told(other));
}

// What the desk did is what it shows, typed into a shell: the same tables and the same charges. `before`: what that
// shell has typed earlier.
function typedAgain(desk, again, shown, { release, ledger }, before = []) {
  rmSync(again, { recursive: true, force: true });
  for (const folder of ["releases", "ledgers", "zones"]) mkdirSync(join(again, folder), { recursive: true });
  for (const words of [...before, shown]) {
    const typed = words.replaceAll(desk.folder, again).replace(/^stopover /, `'${lab}' `);
    execFileSync("bash", ["-c", `${typed} --test-key ${kKey} --state '${join(work, "state")}'`], {
      stdio: ["ignore", "pipe", "ignore"],
    });
  }
  tellsTheSame(join(desk.folder, "releases", release), join(again, "releases", release));
  const told = (name) => withoutHashes(JSON.stringify(ledgerOf(join(name, "ledgers", ledger))));
  assert.equal(told(desk.folder), told(again));
  assert.match(told(again), /"spent":\s*"(0\.|1|[2-9])/);
}
// The command line that the publish screen shows.
const shownLine = async (page) => {
  await page.locator("summary", { hasText: "The same from a shell" }).click();
  await page.locator(".code pre").first().waitFor();
  return page.locator(".code pre").first().innerText();
};

// The board's page: one sheet, plain words, nothing of other cities and nothing empty.
async function boardIsOneSheet(page, says) {
  await page.getByRole("tab", { name: "For the board" }).click();
  const sheet = page.frameLocator("iframe.paper");
  await sheet.getByText("How safe is it?").waitFor();
  const words = await sheet.locator("body").innerText();
  for (const one of says) assert.match(words, one);
  assert.doesNotMatch(words, /San Francisco|e\^|undefined|NaN|\.\.\.?\s|\s,|: \./);
  assert.doesNotMatch(words.split("For specialists")[0].replace(/^.*repeatable key.*$/m, ""), /epsilon|mechanism/i);
  for (const heading of await sheet.locator("h1, h2").all()) assert.notEqual((await heading.innerText()).trim(), "");
  const alone = await page.context().newPage();
  await alone.setContent(await sheet.locator(":root").evaluate((e) => e.outerHTML));
  const pages = (await alone.pdf({ preferCSSPageSize: true })).toString("latin1").match(/\/Type\s*\/Page\b/g);
  assert.equal(pages.length, 1, "one sheet of A4");
  await alone.close();
}

test("from a file with swapped columns to a page and a matrix, and the shown command line makes the same", async () => {
  const folder = join(work, "first");
  await withDesk(
    lab,
    ["--data", data, "--folder", folder, "--state", join(work, "state"), "--test-key", kKey],
    async (desk) => {
      const page = await visit(desk.url);
      await seen(page, "start");
      await begin(page, "swapped bikes");
      await page.getByRole("button", { name: "Choose a file or folder" }).click();
      await page.locator("dialog[open]").waitFor();
      await seen(page, "dialog");
      await page.keyboard.press("Escape");
      await choose(page, "trips.csv");
      await page.locator("#swapped").waitFor();
      await seen(page, "swapped");
      await page.getByRole("button", { name: "Exchange them" }).click();
      await page.locator(".good", { hasText: "Exchanged" }).waitFor();
      assert.equal(await page.locator("#swapped").count(), 0);
      await seen(page, "data");
      assert.ok((await page.locator(".private").count()) > 0, "what is private is marked");
      assert.equal((await page.getByText("whole numbers of").count()) > 0, true, "patterns are told in words");
      await step(page, "Declare");
      assert.equal(await page.getByLabel("Latitude").inputValue(), "lon");
      // The wheel scrolls the page, also over the map; with Ctrl it zooms.
      await page.locator(".deskmap canvas").hover();
      await page.mouse.wheel(0, 300);
      await page.waitForFunction(() => scrollY > 0);
      await page.locator(".maphint").waitFor();
      await declareBox(page);
      await declarePerson(page, "4");
      await seen(page, "declare");
      await step(page, "Data");
      await page.getByRole("button", { name: "Count rows, users and trips" }).click();
      await page.locator(".figures").waitFor();
      await seen(page, "figures");
      await step(page, "Forecast");
      await page.locator("#epsilon").fill("8");
      await page.getByLabel("Trips expected").fill("4000");
      await page.locator(".sizes").first().waitFor();
      await page.getByText("at most 73 % sure").first().waitFor();
      await seen(page, "forecast");
      await page.getByRole("button", { name: "Work it out" }).click();
      await page.locator("#takes").waitFor();
      assert.match(await page.locator("#takes").innerText(), /epsilon .+ for half of them, .+ for nine of ten/);
      await step(page, "Rehearse");
      assert.equal(await page.getByLabel("Name of the release").inputValue(), "swapped_bikes", "by the draft's name");
      await page.getByLabel("Budget: all that may ever be spent").fill("2");
      assert.equal(await ticked(page, "Forecast"), true);
      assert.equal(await ticked(page, "Rehearse"), false, "not before it is done");
      await rehearse(page);
      assert.equal(await ticked(page, "Rehearse"), true);
      await seen(page, "rehearse");
      await publish(page, "swapped_bikes");
      assert.equal(await page.locator("#left").innerText(), "1");
      await seen(page, "published");
      const shown = await shownLine(page);
      await page.getByRole("button", { name: "Next: look and hand over" }).click();
      const explorer = page.frameLocator("iframe.explorer");
      await explorer.locator("#estimate").waitFor();
      await seen(page, "explorer");
      await page.getByLabel("Zones for tables and OMX").selectOption("h3:7");
      const partitions = page.waitForEvent("download"); // waited for, so that it is not taken for the next one
      await page.locator(".exports button", { hasText: "Partitions" }).click();
      await page.locator(".made li", { hasText: "Partitions" }).waitFor();
      await partitions;
      const download = page.waitForEvent("download"); // one click makes it and brings it
      await page.locator(".exports button", { hasText: "OMX matrix" }).click();
      await page.locator(".made li", { hasText: "OMX matrix is made and downloaded" }).waitFor();
      const omx = readFileSync(await (await download).path());
      assert.equal(omx.subarray(1, 4).toString(), "HDF");
      assert.deepEqual(omx, readFileSync(join(folder, "exports", "swapped_bikes.omx")));
      await page.getByRole("tab", { name: "Guarantee card" }).click();
      await page.locator(".guarantee").waitFor();
      await seen(page, "card");
      await boardIsOneSheet(page, [
        /No privacy/,
        /strongest flows/,
        /C\d → |[A-H]\d → [A-H]\d/,
        /Middles of squares/,
        /of 2/,
      ]);
      await seen(page, "board");
      const saved = page.waitForEvent("download");
      await page.getByRole("link", { name: "Save this page" }).click();
      assert.match(readFileSync(await (await saved).path(), "utf8"), /What we published/);
      await page.getByText("Saved as swapped_bikes-board.html").waitFor();
      // Whoever comes back sees that it is done, and is not asked to pay again.
      await step(page, "Publish");
      await page.getByText("is published and paid for").waitFor();
      assert.equal(await page.locator("#confirm").count(), 0);
      await step(page, "Ledgers");
      await page.locator(".balance").waitFor();
      await page.getByRole("button", { name: "Verify swapped_bikes.odr" }).click();
      await page.locator(".releases .good").waitFor();
      await seen(page, "ledgers");

      typedAgain(desk, join(work, "again"), shown, { release: "swapped_bikes.odr", ledger: "swapped_bikes.ledger" });

      // The draft is a settings file of the command line.
      const draft = readFileSync(join(desk.folder, "drafts/swapped bikes.toml"), "utf8");
      assert.match(draft, /\[publish\]\n(.*\n)*epsilon = "1"/);
      assert.doesNotMatch(draft, /u\d{2,}|34\.0\d{3}/, "a draft holds nothing of the data");
      await page.context().close();
    },
  );
});

test("stations: found, listed, published and handed over; the shown command line makes the same", async () => {
  const folder = join(work, "stations");
  const words = ["--data", data, "--folder", folder, "--state", join(work, "state"), "--test-key", kKey];
  await withDesk(lab, words, async (desk) => {
    const page = await visit(desk.url);
    await begin(page, "bikes");
    await choose(page, "bikes.csv");
    await step(page, "Declare");
    const zones = page.getByRole("radio", { name: /In known zones or stations/ });
    assert.equal(await zones.getAttribute("aria-checked"), "true", "columns of stations: zones are chosen");
    // What is chosen stays where it is while the rest changes.
    await zones.scrollIntoViewIfNeeded();
    const top = () => zones.evaluate((e) => Math.round(e.getBoundingClientRect().top));
    const before = await top();
    await page.getByRole("radio", { name: /On a map/ }).click();
    assert.ok(Math.abs((await top()) - before) < 4, "no jump");
    await zones.click();
    assert.ok(Math.abs((await top()) - before) < 4, "no jump back");
    await page.getByRole("button", { name: "Choose a file of zones" }).click();
    await page.locator("dialog li button", { hasText: "stations.csv" }).click();
    await page.getByText("6 stations").waitFor();
    await page.getByRole("radio", { name: /A single trip/ }).click();
    await page.locator("summary", { hasText: "What the release says it is" }).click();
    await page.getByLabel("Title").fill("Bikes between stations");
    await page.getByLabel("Which time and place").fill("Our town, January 2019");
    await page.getByLabel("Who publishes it").fill("Mobility office");
    await seen(page, "declare_zones");
    await step(page, "Forecast");
    await page.locator("#epsilon").fill("8");
    await page.getByLabel("Trips expected").fill("4000");
    await page.getByText("6 zones make 36 pairs").waitFor();
    // 1.25 ln 2 / (100 * 10 %) and 1.25 ln 10 / 10, upwards.
    assert.match(await page.locator("#takes").innerText(), /epsilon 0.09 for half of them, 0.29 for nine of ten/);
    await seen(page, "forecast_zones");
    await step(page, "Rehearse");
    await page.getByLabel("Budget: all that may ever be spent").fill("2");
    await rehearse(page);
    await publish(page, "bikes");
    const shown = await shownLine(page);
    assert.match(shown, /--zones .*stations\.csv/);
    typedAgain(desk, join(work, "stations_again"), shown, { release: "bikes.odr", ledger: "bikes.ledger" });
    await page.getByRole("button", { name: "Next: look and hand over" }).click();
    await page.frameLocator("iframe.explorer").locator("#estimate").waitFor();
    const frame = await page.locator("iframe.explorer").boundingBox();
    assert.ok(frame.width > 1100 && frame.height > 540, `the explorer has room: ${JSON.stringify(frame)}`);
    await seen(page, "explorer_zones");
    await boardIsOneSheet(page, [
      /Bikes between stations/,
      /between 6 stations \(Our town, January 2019\)/,
      /(Union Square|Harbour) → (Harbour|Union Square|Museum)/,
      /off by at most \d/,
      /It cost 1 of the privacy budget of 2/,
      /Declared by: Mobility office/,
      /stopover verify bikes\.odr/,
    ]);
    await seen(page, "board_zones");
    await page.context().close();
  });
});

test("a month of a series, and the next one", async () => {
  const folder = join(work, "second");
  await withDesk(
    lab,
    ["--data", data, "--folder", folder, "--state", join(work, "state"), "--test-key", kKey],
    async (desk) => {
      const page = await visit(desk.url, { colorScheme: "dark" });
      await begin(page, "monthly");
      await choose(page, "good.csv");
      assert.equal(await page.locator("#swapped").count(), 0);
      await step(page, "Declare");
      await declareBox(page);
      await declarePerson(page, "4");
      await page.locator("summary", { hasText: "every month" }).click();
      await page.getByLabel("A release for each").selectOption("month");
      await page.getByLabel("First", { exact: true }).fill("2019-01");
      await page.getByRole("button", { name: "Choose a public table of flows" }).click();
      await page.locator("dialog li button", { hasText: "census_flows.csv" }).click();
      await page.getByText("The first releases lean on census_flows.csv").waitFor();
      await seen(page, "series_dark");
      await step(page, "Forecast");
      await page.locator("#epsilon").fill("6");
      await seen(page, "forecast_dark");
      await step(page, "Rehearse");
      await page.getByLabel("Budget for each period").fill("0.5");
      await rehearse(page);
      await publish(page, "monthly");
      const january = await shownLine(page);
      assert.match(january, /--prior \S*census_flows\.csv/);
      const again = join(work, "months_again");
      typedAgain(desk, again, january, { release: "monthly/2019-01.odr", ledger: "monthly.ledger" });
      const told = join(desk.folder, "releases", "monthly", "2019-01.odr", "release.json");
      assert.match(readFileSync(told, "utf8"), /public table:[0-9a-f]{64}/);
      await step(page, "Declare");
      await page.getByRole("button", { name: "Without it" }).click();
      await page.getByLabel("First", { exact: true }).fill("2019-02");
      await page.getByLabel("Last", { exact: true }).fill("2019-02");
      await page.getByLabel("Goes on with a series").selectOption("yes");
      await step(page, "Rehearse");
      await page.getByLabel("Ledger of these people").selectOption({ label: "monthly.ledger" });
      await rehearse(page);
      await publish(page, "monthly");
      const february = await shownLine(page);
      assert.doesNotMatch(february, /--prior/);
      typedAgain(desk, again, february, { release: "monthly/2019-02.odr", ledger: "monthly.ledger" }, [january]);
      await step(page, "Ledgers");
      await page.locator(".calendar .closed").nth(1).waitFor();
      await seen(page, "calendar_dark");
      await step(page, "Look and hand over");
      await page.frameLocator("iframe.explorer").locator("#estimate").waitFor();
      await seen(page, "explorer_dark");
      await boardIsOneSheet(page, [/monthly, February 2019/, /latest of 2 releases/, /January 2019 [\d,]+/]);
      await seen(page, "board_dark");
      await page.context().close();
    },
  );
});

test("the ledger refuses what it has not, and nothing is spent", async () => {
  const folder = join(work, "third");
  await withDesk(stopover, ["--data", data, "--folder", folder, "--state", join(work, "state")], async (desk) => {
    const page = await visit(desk.url, { viewport: { width: 834, height: 1112 } }); // a tablet
    await begin(page, "too much");
    await choose(page, "good.csv");
    await step(page, "Declare");
    await declareBox(page);
    await page.getByRole("radio", { name: /A single trip/ }).click();
    await page.locator(".warn", { hasText: "user_id" }).waitFor();
    await seen(page, "declare_tablet");
    await step(page, "Forecast");
    await page.locator("#epsilon").fill("8");
    await step(page, "Rehearse");
    await page.getByLabel("Budget: all that may ever be spent").fill("1.5");
    await rehearse(page);
    await publish(page, "too_much");
    await page.getByRole("button", { name: "Publish something else" }).click();
    await step(page, "Rehearse");
    await page.getByLabel("Name of the release").fill("good2");
    await page.getByLabel("Ledger of these people").selectOption({ label: "too_much.ledger" });
    await page.getByRole("button", { name: "Rehearse", exact: true }).click();
    await page.locator(".refusal").waitFor();
    await seen(page, "refused_tablet");
    await step(page, "Publish");
    await page.fill("#confirm", "good2");
    await page.locator(".spend").click();
    await page.locator(".refusal").waitFor();
    assert.equal(ledgerOf(join(desk.folder, "ledgers/too_much.ledger")).spent, "1");
    assert.equal(existsSync(join(desk.folder, "releases/good2.odr")), false);
    await seen(page, "publish_refused_tablet");
    await page.context().close();
  });
});

test("nothing was asked of any other machine, and no page complained", () => {
  assert.deepEqual(
    requests.filter((r) => !/^(http:\/\/127\.0\.0\.1:\d+\/|data:|blob:)/.test(r)),
    [],
  );
  const real = complaints.filter((c) => !/status of (403|409|422)/.test(c));
  assert.deepEqual(real, []);
});
