// Opens the page of a running simulation, kills that, and prints what the page says as JSON.
//   node live_killed.mjs ADDRESS CHROMIUM PROCESS
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(here, "../../viewer/package.json"))("playwright-core");
const [address, executablePath, victim] = process.argv.slice(2);
const found = { errors: [] };
const browser = await chromium.launch({
  executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const tab = await browser.newPage();
tab.on("pageerror", (error) => found.errors.push(String(error.stack)));
await tab.goto(address);
await tab.waitForSelector("html[data-ready]", { timeout: 120000 });
await tab.waitForFunction(() => window.stiction.steps.time.length > 5, undefined, { timeout: 120000 });
// What is said is taken away after some seconds: it is caught when it comes.
const said = tab.waitForFunction(() => {
  const text = document.getElementById("message").textContent;
  return text.includes("connection") && text;
}, undefined, { timeout: 120000, polling: 50 });
process.kill(Number(victim), "SIGKILL");
found.said = await (await said).jsonValue();
found.playing = await tab.evaluate(() => window.stiction.player.playing);
found.frames = await tab.evaluate(() => window.stiction.steps.time.length);
await tab.keyboard.press("Home");
found.home = await tab.evaluate(() => window.stiction.player.index);
console.log(JSON.stringify(found));
await browser.close();
