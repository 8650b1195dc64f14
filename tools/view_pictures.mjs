// Pictures of the page for docs/viewing.md: recordings, and a simulation that is pulled while it runs, light and dark.
//   node tools/view_pictures.mjs STICTION [NODE_MODULES] [NAME ...]
// STICTION: the command; NODE_MODULES: a folder with playwright-core, by default viewer/node_modules; NAME: view-light, view-dark, live-light,
// live-dark. CHROMIUM in the environment names a browser. Names of steps are those of docs/viewing.md.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const [stiction, modules = join(root, "viewer/node_modules"), ...only] = process.argv.slice(2);
if (!stiction) throw new Error("usage: node tools/view_pictures.mjs STICTION [NODE_MODULES] [NAME ...]");
const { chromium } = createRequire(join(resolve(modules), "x.js"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "view-"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

async function open(address, colorScheme) {
  const tab = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme })).newPage();
  await tab.goto(address);
  await tab.waitForSelector("html[data-ready]", { timeout: 120000 });
  return tab;
}

// The camera looks at the first body, so many times as far away as it stood.
async function approach(tab, times) {
  await tab.evaluate((factor) => {
    const { stage } = window.stiction, { camera, controls } = stage, place = window.stiction.bodies()[0];
    camera.position.sub(controls.target).multiplyScalar(factor);
    controls.target.set(place[0], place[1], place[2]);
    camera.position.add(controls.target);
    controls.update();
    stage.invalidate();
  }, times);
}

async function shoot(tab, name) {
  await tab.waitForTimeout(1500);
  const picture = join(root, "docs/images", `${name}.png`);
  await tab.screenshot({ path: picture });
  console.log(picture);
  await tab.context().close();
}

async function recorded(name, scene, colorScheme, step, look) {
  if (only.length && !only.includes(name)) return;
  const recording = join(folder, `${scene}.h5`), page = join(folder, `${scene}.html`);
  execFileSync(stiction, ["run", join(root, "scenes", `${scene}.xml`), "--time", "2", "--record", recording]);
  execFileSync(stiction, ["view", recording, "-o", page]);
  const tab = await open(pathToFileURL(page).href, colorScheme);
  await tab.evaluate((at) => window.stiction.seek(at), step);
  await look(tab);
  await shoot(tab, name);
}

// While the mouse holds a body, at the latest after half a minute.
async function live(name, scene, colorScheme, body, way) {
  if (only.length && !only.includes(name)) return;
  const server = spawn(stiction, ["view", join(root, "scenes", scene), "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await new Promise((done) => createInterface(server.stdout).once("line", (...text) => done(text)));
    const tab = await open(JSON.parse(line).address, colorScheme);
    await tab.waitForFunction(() => window.stiction.steps.time.at(-1) > 0.5, undefined, { timeout: 120000 });
    const at = await tab.evaluate((b) => {
      const { stage, model } = window.stiction;
      return stage.toScreen(window.stiction.bodies()[model.bodies.findIndex((one) => one.name === b)].slice(0, 3));
    }, body);
    await tab.keyboard.down("Control");
    await tab.mouse.move(at.x, at.y);
    await tab.mouse.down();
    await tab.mouse.move(at.x + way[0] / 2, at.y + way[1] / 2, { steps: 5 });
    await tab.mouse.move(at.x + way[0], at.y + way[1], { steps: 10 });
    await shoot(tab, name);
  } finally {
    server.kill("SIGKILL");
  }
}

try {
  await recorded("view-light", "terrain", "light", 1200, (tab) => approach(tab, 0.6));
  await recorded("view-dark", "boxes", "dark", 700, async (tab) => {
    await approach(tab, 0.55);
    const at = await tab.evaluate(() => window.stiction.stage.toScreen(window.stiction.contacts()[0].position));
    await tab.mouse.click(at.x, at.y);
  });
  await live("live-light", "quadruped.xml", "light", "base", [60, -110]);
  await live("live-dark", "gallery/gripper.xml", "dark", "block2", [90, 60]);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
