// Asks an explorer's page what its dialog "Ask" can be asked, and prints the replies that it gives as files.
//
//   node ask_page.mjs WEB_FOLDER CHROMIUM PAGE.html ZONES.geojson < INQUIRIES.json > REPLIES.json
//
// The zones are dropped onto the page first. INQUIRIES is a list of what the address has after ask= (web/src/inquiry.ts).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [web, chromiumPath, file, zones] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(web), "package.json"))("playwright-core");
const inquiries = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(600_000);
  await page.goto(`file://${resolve(file)}`);
  await page.waitForSelector("#estimate");
  await page.setInputFiles("input[type=file]", zones);
  await page.waitForFunction(() => location.hash.includes("areas="));
  const address = await page.evaluate(() => location.hash.replace(/^#/, ""));
  const replies = [];
  for (const inquiry of inquiries) {
    await page.goto(`file://${resolve(file)}#${address}&ask=${encodeURIComponent(JSON.stringify(inquiry))}`);
    await page.reload(); // a page of its own for each, as from a link
    await page.waitForSelector("#reply, #refused");
    const refused = await page.locator("#refused").allInnerTexts();
    if (refused.length) throw new Error(`${JSON.stringify(inquiry)}: ${refused[0]}`);
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "All digits as JSON" }).click(),
    ]);
    replies.push(JSON.parse(readFileSync(await saved.path(), "utf8")));
  }
  console.log(JSON.stringify(replies));
} finally {
  await browser.close();
}
