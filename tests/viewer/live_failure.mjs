// Opens the page of a simulation whose steps throw, and prints what it says as JSON.
//   node live_failure.mjs ADDRESS CHROMIUM
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(here, "../../viewer/package.json"))("playwright-core");
const [address, executablePath] = process.argv.slice(2);
const found = { console: [] };
const browser = await chromium.launch({
  executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const tab = await browser.newPage();
tab.on("console", (message) => { if (message.type() === "error") found.console.push(message.text()); });
tab.on("pageerror", (error) => found.console.push(String(error.stack)));
await tab.goto(address);
await tab.waitForSelector("#failure:not([hidden])", { timeout: 120000 });
found.failure = await tab.textContent("#failure");
found.playing = await tab.evaluate(() => window.stiction?.player.playing ?? false);
console.log(JSON.stringify(found));
await browser.close();
