// Random seeks in a page: how long each takes, and how many blocks were unpacked for it, as JSON. See pages.py.
//   node page_seeks.mjs PAGE CHROMIUM COUNT
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(here, "../viewer/package.json"))("playwright-core");
const [page, executablePath, count] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const tab = await (await browser.newContext({ viewport: { width: 1200, height: 800 }, offline: true })).newPage();
await tab.addInitScript(() => {
  const Original = window.DecompressionStream;
  window.unpacked = 0;
  window.DecompressionStream = class extends Original {
    constructor(...rest) { super(...rest); ++window.unpacked; }
  };
});
await tab.goto(pathToFileURL(page).href, { timeout: 300000 });
await tab.waitForSelector("html[data-ready]", { timeout: 300000 });
const found = await tab.evaluate(async (wanted) => {
  const seeks = [], { player, seek } = window.stiction;
  let random = 12345;
  while (seeks.length < wanted) {
    random = (1103515245 * random + 12345) % 2147483648;
    const from = player.index, to = random % (player.end + 1), before = window.unpacked, begin = performance.now();
    await seek(to);
    if (player.index !== to) throw new Error(`seek ${to} shows ${player.index}`);
    seeks.push({ from, to, ms: performance.now() - begin, unpacked: window.unpacked - before });
    await new Promise(requestAnimationFrame);
  }
  return seeks;
}, Number(count));
console.log(JSON.stringify(found));
await browser.close();
