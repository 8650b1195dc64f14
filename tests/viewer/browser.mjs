// Opens a page in Chromium, without network, does what people do, and prints what it found as JSON.
//   node browser.mjs PAGE CHROMIUM STEPS NOTEBOOK CUT
//   STEPS: 0,5,9; NOTEBOOK: a page with the frame that notebooks get; CUT: the first half of a page
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(here, "../../viewer/package.json"))("playwright-core");
const [page, executablePath, steps, notebook, cut] = process.argv.slice(2);
const found = { console: [], requests: [], steps: [] };

const browser = await chromium.launch({
  executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

async function open(options, init) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, offline: true, ...options });
  const tab = await context.newPage();
  tab.on("console", (message) => { if (message.type() === "error") found.console.push(message.text()); });
  tab.on("pageerror", (error) => found.console.push(String(error.stack)));
  tab.on("request", (request) => found.requests.push(request.url()));
  if (init) await tab.addInitScript(init);
  await tab.goto(pathToFileURL(page).href);
  await tab.waitForSelector("html[data-ready]", { timeout: 120000 });
  return tab;
}

const tab = await open({ colorScheme: "light" });
const index = () => tab.evaluate(() => window.stiction.player.index);
const title = () => tab.textContent("#details h2");
found.model = await tab.evaluate(() => {
  const { model, steps } = window.stiction;
  return { ...model, steps: Object.fromEntries(Object.entries(steps).map(([name, column]) => [name, Array.from(column)])) };
});

for (const step of steps.split(",").map(Number)) {
  await tab.evaluate((at) => window.stiction.seek(at), step);
  found.steps.push(await tab.evaluate(() => ({
    index: window.stiction.player.index, contacts: window.stiction.contacts(), bodies: window.stiction.bodies(),
    chip: document.getElementById("chip").textContent, clock: document.getElementById("clock").textContent,
  })));
}

// Keys.
await tab.keyboard.press("Home");
found.home = await index();
await tab.keyboard.press("ArrowRight");
await tab.keyboard.press("Shift+ArrowRight");
found.eleven = await index();
await tab.keyboard.press("ArrowLeft");
found.ten = await index();
await tab.keyboard.press("End");
found.end = await index();
await tab.keyboard.press("?");
found.help = await tab.isVisible("#help");
await tab.keyboard.press("Escape");
found.helpAfter = await tab.isVisible("#help");

// Playing: the clock moves, and stops when told.
await tab.keyboard.press("Home");
await tab.keyboard.press("Space");
await tab.waitForFunction(() => window.stiction.player.index > 0, undefined, { timeout: 60000 });
await tab.keyboard.press("Space");
found.playing = await tab.evaluate(() => window.stiction.player.playing);
found.played = await index();

// Steps that are not certified are one click away.
await tab.keyboard.press("Home");
if (await tab.isVisible("#bad-next")) {
  await tab.click("#bad-next");
  found.firstBad = await index();
  found.badChip = await tab.textContent("#chip");
}

// A click on a body picks it, one beside everything picks nothing.
found.picks = [];
const last = Number(steps.split(",").at(-1));
for (let body = 0; body < Math.min(found.model.bodies.length, 6); ++body) {
  await tab.evaluate((at) => window.stiction.seek(at), last);
  const point = await tab.evaluate((b) => {
    const { stage } = window.stiction;
    stage.contacts.options.points = false;  // a contact in front would be picked
    return stage.toScreen(window.stiction.bodies()[b].slice(0, 3));
  }, body);
  await tab.mouse.click(point.x, point.y);
  const picked = await tab.evaluate(() => window.stiction.picked());
  found.picks.push({ body, picked: picked.body, title: picked.body >= 0 ? await title() : "", text: picked.body >= 0 ? await tab.textContent("#details table") : "" });
}
await tab.mouse.click(600, 20);
found.nothing = await tab.evaluate(() => window.stiction.picked());
// A click on a contact.
const contact = await tab.evaluate(() => {
  const { stage } = window.stiction;
  stage.contacts.options.points = true;
  const first = window.stiction.contacts()[0];
  return first ? stage.toScreen(first.position) : null;
});
if (contact) {
  await tab.mouse.click(contact.x, contact.y);
  found.pickedContact = await tab.evaluate(() => window.stiction.picked());
  found.contactText = await tab.textContent("#details");
  // It stays picked from step to step, whatever its number.
  const shapes = () => tab.evaluate(() => window.stiction.contacts()[window.stiction.picked().contact]?.shapes);
  found.shapesBefore = await shapes();
  await tab.keyboard.press("ArrowRight");
  found.shapesAfter = await shapes();
}

// The camera follows a picked body.
await tab.keyboard.press("Escape");
await tab.evaluate(() => window.stiction.seek(0));
const of = await tab.evaluate(() => {
  window.stiction.stage.contacts.options.points = false;
  return window.stiction.stage.toScreen(window.stiction.bodies()[0].slice(0, 3));
});
await tab.mouse.click(of.x, of.y);
await tab.keyboard.press("f");
const where = () => tab.evaluate(() => [window.stiction.stage.controls.target.toArray(), window.stiction.bodies()[0].slice(0, 3)]);
const [target, body] = await where();
await tab.keyboard.press("End");
const [targetThen, bodyThen] = await where();
found.followed = targetThen.map((value, k) => value - target[k]);
found.bodyMoved = bodyThen.map((value, k) => value - body[k]);
await tab.keyboard.press("Escape");

// Random seeks, backwards too, in a page that has seen its first and last step: how many blocks each unpacks.
const fresh = await open({ colorScheme: "light" }, () => {
  const Original = window.DecompressionStream;
  window.unpacked = 0;
  window.DecompressionStream = class extends Original {
    constructor(...rest) { super(...rest); ++window.unpacked; }
  };
});
found.seeks = await fresh.evaluate(async () => {
  const seeks = [], { player, seek } = window.stiction;
  let random = 12345;
  for (let i = 0; i < 60; ++i) {
    random = (1103515245 * random + 12345) % 2147483648;
    const from = player.index, to = i === 0 ? player.end >> 1 : random % (player.end + 1), before = window.unpacked;
    await seek(to);
    if (player.index !== to) throw new Error(`seek ${to} shows ${player.index}`);
    seeks.push({ from, to, unpacked: window.unpacked - before });
  }
  return seeks;
});
await fresh.close();

// Surfaces as they are drawn: triangles in the world of every shape that is no primitive.
await tab.evaluate((at) => window.stiction.seek(at), last);
found.surfaces = await tab.evaluate(() => {
  const { stage, model } = window.stiction, drawn = [];
  stage.scene.updateMatrixWorld(true);
  stage.shapes.groups.forEach(({ mesh, shapes }) => shapes.forEach((shape, instance) => {
    if (!["convex_hull", "triangle_mesh", "height_field"].includes(model.shapes[shape].kind)) return;
    const points = mesh.geometry.attributes.position, place = mesh.matrixWorld.clone(), own = mesh.matrixWorld.clone();
    mesh.getMatrixAt(instance, own);
    place.multiply(own);
    const lower = [Infinity, Infinity, Infinity], upper = [-Infinity, -Infinity, -Infinity];
    const at = place.clone();
    for (let i = 0; i < points.count; ++i) {
      const e = at.elements, p = [points.getX(i), points.getY(i), points.getZ(i)];
      for (let k = 0; k < 3; ++k) {
        const x = e[k] * p[0] + e[4 + k] * p[1] + e[8 + k] * p[2] + e[12 + k];
        lower[k] = Math.min(lower[k], x);
        upper[k] = Math.max(upper[k], x);
      }
    }
    drawn.push({ shape, kind: model.shapes[shape].kind, triangles: points.count / 3, lower, upper });
  }));
  return drawn;
});

// A picture is saved.
const [download] = await Promise.all([tab.waitForEvent("download"), tab.keyboard.press("s")]);
found.png = download.suggestedFilename();

// A film is saved.
await tab.keyboard.press("Home");
await tab.evaluate(() => { window.stiction.player.speed = 0.05; });  // does not reach the end
await tab.keyboard.press("v");
await tab.waitForTimeout(2500);
const [film] = await Promise.all([tab.waitForEvent("download"), tab.keyboard.press("v")]);
found.film = film.suggestedFilename();
found.filmBytes = (await stat(await film.path())).size;

found.lightSky = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
await tab.close();

const dark = await open({ colorScheme: "dark" });
found.darkSky = await dark.evaluate(() => getComputedStyle(document.body).backgroundColor);
await dark.keyboard.press("d");
found.switched = await dark.evaluate(() => document.documentElement.dataset.theme);
await dark.close();

// In a frame of a notebook.
const cell = await (await browser.newContext({ offline: true })).newPage();
cell.on("pageerror", (error) => found.console.push(String(error.stack)));
await cell.goto(pathToFileURL(notebook).href);
await cell.frames()[1].waitForSelector("html[data-ready]", { timeout: 120000 });
found.notebook = await cell.frames()[1].textContent("#chip");
await cell.goto(pathToFileURL(cut).href);
found.cut = await cell.textContent("#message");
await cell.close();

// A finger on a small screen.
const phone = await open({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
const finger = await phone.evaluate(() => {
  window.stiction.stage.contacts.options.points = false;
  return window.stiction.stage.toScreen(window.stiction.bodies()[0].slice(0, 3));
});
await phone.touchscreen.tap(finger.x, finger.y);
found.tapped = await phone.evaluate(() => window.stiction.picked());
await phone.close();

// Without WebGL the page says what to do, and the timeline works.
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
