// Pictures of scenes/gallery for docs/gallery.md: runs each scene, opens its page in Chromium, and saves what the scene's camera sees.
//   node tools/gallery_pictures.mjs STICTION [NODE_MODULES] [SCENE ...]
// STICTION: the command; NODE_MODULES: a folder with playwright-core, by default viewer/node_modules. CHROMIUM in the environment names a browser.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const [stiction, modules = join(root, "viewer/node_modules"), ...only] = process.argv.slice(2);
if (!stiction) throw new Error("usage: node tools/gallery_pictures.mjs STICTION [NODE_MODULES] [SCENE ...]");
const { chromium } = createRequire(join(resolve(modules), "x.js"))("playwright-core");

// Seconds to run, keyframe, whether the contact forces are shown.
const scenes = {
  house_of_cards: [0.1], card_pyramid: [0.1], arch_semicircle: [0.1, "", true], arch_catenary: [0.1, "", true], arch_flat: [0.1, "", true],
  kapla: [0.05], dominoes: [0.75, "push"], gripper: [1, "hold"], hand: [1, "hold"], turntable: [1, "turn"],
};

const folder = mkdtempSync(join(tmpdir(), "gallery-"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
try {
  for (const [name, [seconds, keyframe, forces]] of Object.entries(scenes)) {
    if (only.length && !only.includes(name)) continue;
    const scene = join(root, "scenes/gallery", `${name}.xml`), recording = join(folder, `${name}.h5`), page = join(folder, `${name}.html`);
    execFileSync(stiction, ["run", scene, "--dt", "0.005", "--time", seconds, "--record", recording, ...(keyframe ? ["-k", keyframe] : [])]);
    execFileSync(stiction, ["view", recording, "-o", page]);
    const camera = readFileSync(scene, "utf8").match(/<camera name="gallery" pos="([^"]*)" xyaxes="([^"]*)" fovy="([^"]*)"/);
    const [eye, axes] = [camera[1], camera[2]].map((text) => text.split(" ").map(Number));
    const back = [axes[1] * axes[5] - axes[2] * axes[4], axes[2] * axes[3] - axes[0] * axes[5], axes[0] * axes[4] - axes[1] * axes[3]];
    const tab = await (await browser.newContext({ viewport: { width: 640, height: 440 }, offline: true, colorScheme: "light" })).newPage();
    await tab.goto(pathToFileURL(page).href);
    await tab.waitForSelector("html[data-ready]", { timeout: 120000 });
    await tab.addStyleTag({ content: "#head, #gui, #panel, #details { display: none !important; } #stage { inset: 0 !important; bottom: 0 !important; }" });
    await tab.evaluate(([eye, back, fovy, forces]) => {
      const { stage, player } = window.stiction;
      Object.assign(stage.contacts.options, { points: forces, arrows: forces, cones: false, worst: false, inFront: forces });
      player.go(0);
      player.go(window.stiction.steps.step.length - 1);
      stage.camera.fov = fovy;
      stage.camera.position.set(...eye);
      stage.controls.target.set(...eye.map((e, k) => e - back[k]));
      stage.controls.update();
      stage.camera.updateProjectionMatrix();
      dispatchEvent(new Event("resize"));
      stage.invalidate();
    }, [eye, back, Number(camera[3]), Boolean(forces)]);
    await tab.waitForTimeout(1500);
    const picture = join(root, "docs/images", `gallery-${name}.png`);
    await tab.screenshot({ path: picture });
    console.log(picture);
    await tab.context().close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
