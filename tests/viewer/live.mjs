// Opens the page of a running simulation in Chromium, does what people do, and prints what it found as JSON.
//   node live.mjs ADDRESS CHROMIUM BODY [FOLDER]
//   BODY: the number of the body that is pulled; FOLDER: where pictures go
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(here, "../../viewer/package.json"))("playwright-core");
const [address, executablePath, body, folder] = process.argv.slice(2);
const found = { console: [], requests: [] };

const browser = await chromium.launch({
  executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

async function open(options) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const tab = await context.newPage();
  tab.on("console", (message) => { if (message.type() === "error") found.console.push(message.text()); });
  tab.on("pageerror", (error) => found.console.push(String(error.stack)));
  tab.on("request", (request) => found.requests.push(request.url()));
  await tab.goto(address);
  await tab.waitForSelector("html[data-ready]", { timeout: 120000 });
  return tab;
}

const tab = await open({ colorScheme: "light" });
const now = () => tab.evaluate(() => {
  const { steps, player } = window.stiction, last = steps.time.length - 1;
  return { time: steps.time[last], step: steps.step[last], frames: last + 1, index: player.index, playing: player.playing };
});
const until = (what, argument) => tab.waitForFunction(what, argument, { timeout: 60000 });
const place = (b) => tab.evaluate((k) => window.stiction.bodies()[k], b);
const shot = async (page, name) => { if (folder) await page.screenshot({ path: join(folder, name) }); };

// It begins paused; it runs, and stops when told.
found.start = await now();
found.firstChip = await tab.textContent("#chip");
await tab.keyboard.press("Space");
await until((t) => window.stiction.steps.time.at(-1) > t + 0.3, found.start.time);
await until(() => document.getElementById("live-speed").textContent.includes("real time"));
found.speedText = await tab.textContent("#live-speed");
await tab.keyboard.press("Space");
await until(() => !window.stiction.player.playing && document.getElementById("live-speed").textContent.startsWith("paused"));
await tab.waitForTimeout(300);
found.paused = await now();
await tab.waitForTimeout(400);
found.stillPaused = await now();
found.chip = await tab.textContent("#chip");
found.contacts = await tab.evaluate(() => window.stiction.contacts());

// One step at a time; back is into what was seen, and forth again to the end.
await tab.keyboard.press("ArrowRight");
await until((step) => window.stiction.steps.step.at(-1) === step + 1, found.stillPaused.step);
found.stepped = await now();
await tab.click("#forward");
await until((step) => window.stiction.steps.step.at(-1) === step + 1, found.stepped.step);
await tab.keyboard.press("Home");
found.home = await now();
await tab.keyboard.press("End");
found.end = await now();

// A second page looks at the same.
const other = await open({ colorScheme: "dark" });
found.other = await other.evaluate(() => window.stiction.steps.step.at(-1));

// Ctrl and a drag pull a body. It goes on to do so while the mouse is held.
await tab.keyboard.press("Space");
const before = await place(Number(body));
const at = await tab.evaluate((p) => window.stiction.stage.toScreen(p.slice(0, 3)), before);
const camera = await tab.evaluate(() => window.stiction.stage.camera.position.toArray());
await tab.keyboard.down("Control");
await tab.mouse.move(at.x, at.y);
await tab.mouse.down();
await tab.mouse.move(at.x + 20, at.y - 40, { steps: 4 });
await tab.mouse.move(at.x + 120, at.y - 160, { steps: 8 });
found.pulled = await tab.evaluate(() => window.stiction.pull.pulled);
await until(([b, z]) => window.stiction.bodies()[b][2] > z + 0.1, [Number(body), before[2]]);
await shot(tab, "live-pull.png");
found.before = before;
found.after = await place(Number(body));
found.cameraMoved = await tab.evaluate((c) => window.stiction.stage.camera.position.toArray().some((x, k) => x !== c[k]), camera);
await tab.mouse.up();
await tab.keyboard.up("Control");
found.released = await tab.evaluate(() => window.stiction.pull.pulled);
await until(([b, z]) => window.stiction.bodies()[b][2] < z - 0.05, [Number(body), found.after[2]]);

// Solver and friction change while it runs, and the other page shows it; time goes on.
const changing = await now();
await tab.selectOption("#gui select:has(option:text-is('ncp-gs'))", "ncp-gs");
await until(() => window.stiction.model.solver === "ncp-gs");
const slider = (name) => `#gui .lil-number:has(.lil-name:text-is("${name}")) input`;
const firstMaterial = await tab.textContent('#gui .lil-number .lil-name:text-matches("^μ of ")');
await tab.fill(slider("all times"), "0.5");
await tab.press(slider("all times"), "Enter");
await tab.fill(slider(firstMaterial), "0.6");
await tab.press(slider(firstMaterial), "Enter");
await tab.evaluate(() => document.activeElement.blur());  // the keys that follow are for the page
const shows = async (page, name, value) => {
  const input = await page.waitForSelector(slider(name), { state: "attached" });
  await page.waitForFunction(([field, wanted]) => Number(field.value) === wanted, [input, value], { timeout: 60000 });
};
await shows(other, "all times", 0.5);
await shows(other, firstMaterial, 0.6);
found.firstMaterial = firstMaterial;
const changed = await now();
await until((t) => window.stiction.steps.time.at(-1) > t + 0.05, changed.time);
found.timesOfChange = [changing.time, changed.time, (await now()).time];

// Reset: time begins anew, and what was seen before is forgotten.
await tab.keyboard.press("Space");
await until(() => !window.stiction.player.playing && document.getElementById("live-speed").textContent.startsWith("paused"));
await tab.keyboard.press("Backspace");
await until(() => window.stiction.steps.step.at(-1) === 0);
found.reset = await now();
await shot(tab, "live-light.png");
await shot(other, "live-dark.png");
found.otherSky = await other.evaluate(() => document.documentElement.dataset.theme);

console.log(JSON.stringify(found));
await browser.close();
