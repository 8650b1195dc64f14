// Opens the page of a comparison in Chromium, without network, does what people do, and prints what it found as JSON.
//   node compare_browser.mjs PAGE CHROMIUM [PICTURES]
//   PICTURES: what names of screenshots begin with
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(here, "../../viewer/package.json"))("playwright-core");
const [page, executablePath, pictures] = process.argv.slice(2);
const found = { console: [], requests: [] };

const browser = await chromium.launch({
  executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

async function open(options, init) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, offline: true, ...options });
  const tab = await context.newPage();
  tab.on("console", (message) => { if (message.type() === "error") found.console.push(message.text()); });
  tab.on("pageerror", (error) => found.console.push(String(error.stack)));
  tab.on("request", (request) => found.requests.push(request.url()));
  if (init) await tab.addInitScript(init);
  await tab.goto(pathToFileURL(page).href);
  await tab.waitForSelector("html[data-ready]", { timeout: 120000 });
  return tab;
}
const drawn = (tab) => tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const picture = async (tab, name) => {
  if (!pictures) return;
  await drawn(tab);
  await tab.screenshot({ path: `${pictures}-${name}.png` });
};

const tab = await open({ colorScheme: "light" });
const index = () => tab.evaluate(() => window.stiction.player.index);
found.title = await tab.textContent("#title");
found.comparison = await tab.evaluate(() => window.stiction.comparison);
found.runs = await tab.evaluate(() => window.stiction.runs.map(({ steps, distance, numFrames }) => (
  { numFrames, distance: Array.from(distance), time: Array.from(steps.time), eps: Array.from(steps.eps_nat), certified: Array.from(steps.law_certified) })));
// What one frame shows of every run.
const shown = () => tab.evaluate(() => ({
  index: window.stiction.player.index,
  bodies: window.stiction.runs.map((_, k) => window.stiction.bodies(k)),
  states: [...document.querySelectorAll(".place .state")].map((e) => e.textContent),
  away: [...document.querySelectorAll(".place .away")].map((e) => e.textContent),
  heads: [...document.querySelectorAll(".strip .now")].map((e) => e.style.left),
  parted: [...document.querySelectorAll(".place")].map((e) => e.classList.contains("parted")),
  ghosts: window.stiction.stage.panels.map(({ ghost }) => ghost ? ghost.root.visible : null),
}));
found.start = await shown();
const end = await tab.evaluate(() => window.stiction.player.end);
await tab.evaluate((at) => window.stiction.seek(at), Math.floor(end / 2));
found.middle = await shown();
await picture(tab, "light");

// A click in the strip of any run moves all of them.
const strip = await tab.locator(".strip").nth(1).boundingBox();
await tab.mouse.click(strip.x + 0.25 * strip.width, strip.y + strip.height / 2);
await tab.waitForFunction((at) => Math.abs(window.stiction.player.index - at) < 3, Math.floor(end / 4));
found.quarter = await shown();

// The first parting, by key and by the button of its run.
await tab.keyboard.press("p");
found.parting = await index();
await tab.keyboard.press("End");
found.end = await index();
found.last = await shown();
const buttons = await tab.locator(".parts").count();
found.partings = [];
for (let k = 0; k < buttons; ++k) {
  await tab.locator(".parts").nth(k).click();
  found.partings.push([await tab.locator(".parts").nth(k).getAttribute("data-run"), await index()]);
}

// Playing moves all runs, and stops when told.
await tab.keyboard.press("Home");
await tab.keyboard.press("Space");
await tab.waitForFunction(() => window.stiction.player.index > 0, undefined, { timeout: 60000 });
await tab.keyboard.press("Space");
found.playing = await tab.evaluate(() => window.stiction.player.playing);
found.played = await shown();

// One camera for all: what is under a point of one panel is under the same point of every other.
const places = () => tab.evaluate(() => [...document.querySelectorAll(".place")].map((e, k) => {
  const box = e.getBoundingClientRect(), at = window.stiction.stage.toScreen(k, window.stiction.stage.controls.target.toArray());
  return [at.x - box.left, at.y - box.top];
}));
const camera = () => tab.evaluate(() => window.stiction.stage.camera.position.toArray());
const pixels = () => tab.evaluate(() => {
  window.stiction.stage.invalidate();
  window.stiction.stage.render();
  const canvas = document.getElementById("view"), copy = document.createElement("canvas");
  copy.width = canvas.width, copy.height = canvas.height;
  copy.getContext("2d").drawImage(canvas, 0, 0);
  const ratio = canvas.width / canvas.clientWidth, area = canvas.getBoundingClientRect();
  return [...document.querySelectorAll(".place")].map((e) => {
    const box = e.getBoundingClientRect();
    const data = copy.getContext("2d").getImageData((box.left - area.left) * ratio, (box.top - area.top) * ratio, box.width * ratio, box.height * ratio).data;
    let hash = 0;
    for (let i = 0; i < data.length; i += 4) hash = (31 * hash + data[i] + 7 * data[i + 1] + 13 * data[i + 2]) | 0;
    return hash;
  });
});
found.cameraBefore = await camera();
found.pixelsBefore = await pixels();
const area = await tab.locator("#view").boundingBox();
await tab.mouse.move(area.x + 0.2 * area.width, area.y + 0.3 * area.height);
await tab.mouse.down();
await tab.mouse.move(area.x + 0.3 * area.width, area.y + 0.35 * area.height, { steps: 4 });
await tab.mouse.up();
await drawn(tab);
found.cameraAfter = await camera();
found.pixelsAfter = await pixels();
found.places = await places();
await tab.keyboard.press("r");

// One run alone, the table, ghosts, help.
await tab.keyboard.press("2");
found.alone = await tab.locator(".place:visible").count();
await tab.keyboard.press("Escape");
found.all = await tab.locator(".place:visible").count();
await tab.keyboard.press("t");
found.table = await tab.textContent("#table table");
await picture(tab, "table");
await tab.keyboard.press("Escape");
found.tableAfter = await tab.isVisible("#table");
await tab.keyboard.press("End");
await tab.keyboard.press("g");
found.noGhosts = (await shown()).ghosts;
await tab.keyboard.press("?");
found.help = await tab.isVisible("#help");
await tab.keyboard.press("Escape");
const [download] = await Promise.all([tab.waitForEvent("download"), tab.keyboard.press("s")]);
found.png = download.suggestedFilename();
found.lightSky = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
await tab.close();

const dark = await open({ colorScheme: "dark" });
found.darkSky = await dark.evaluate(() => getComputedStyle(document.body).backgroundColor);
await dark.evaluate(() => window.stiction.seek(window.stiction.player.end));
await picture(dark, "dark");
await dark.keyboard.press("d");
found.switched = await dark.evaluate(() => document.documentElement.dataset.theme);
await dark.close();

// A small screen, and a browser without WebGL: it says what to do, and time still moves.
const phone = await open({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
found.phonePanels = await phone.locator(".place:visible").count();
await picture(phone, "phone");
await phone.close();
const flat = await open({ colorScheme: "dark" }, () => {
  const original = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind.startsWith("webgl") ? null : original.call(this, kind, ...rest); };
});
found.noWebGL = await flat.textContent("#message");
await flat.keyboard.press("End");
found.noWebGLEnd = await flat.evaluate(() => window.stiction.player.index);
await flat.close();

await browser.close();
console.log(JSON.stringify(found, (_, value) => (Number.isNaN(value) ? "NaN" : value)));
