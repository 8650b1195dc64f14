// The runs side by side: one canvas, one camera, one scene per run, each drawn into the place of its panel.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { LinkedSource } from "./compare_source";
import { ContactLayer, type ContactOptions } from "./contacts";
import { framing } from "./framing";
import { type Coloring, ShapeLayer } from "./shapes";
import type { Frame, Source } from "./source";
import { makeRenderer } from "./stage";
import { SCENE_COLORS, type Theme } from "./theme";

const GHOST_COLOR = [0.15, 0.45, 0.95, 0.32];

// The bodies of the first run as shadows without weight; the world is drawn by the run itself.
function ghostOf(source: Source): Source {
  const shapes = source.model.shapes.map((shape) => ({ ...shape, color: GHOST_COLOR })).filter(({ body }) => body >= 0);
  return {
    model: { ...source.model, shapes }, surfaces: source.surfaces, steps: source.steps, numFrames: source.numFrames,
    frame: (index) => source.frame(index), frameNow: (index) => source.frameNow(index), prefetch: () => undefined,
  };
}

interface Panel {
  scene: THREE.Scene;
  shapes: ShapeLayer;
  contacts: ContactLayer;
  ghost: ShapeLayer | undefined;
  sun: THREE.DirectionalLight;
  fill: THREE.HemisphereLight;
}

export class CompareStage {
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly options: ContactOptions;
  readonly extent: number;
  readonly panels: Panel[];
  ghosts = true;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly home = { position: new THREE.Vector3(), target: new THREE.Vector3() };
  private readonly coloring: Coloring;
  private theme: Theme = "light";
  private stale = true;

  // `places`: where each run is drawn, elements over the canvas; those without size are left out.
  constructor(private readonly canvas: HTMLCanvasElement, private readonly places: HTMLElement[],
    private readonly source: LinkedSource, frames: Frame[]) {
    this.renderer = makeRenderer(canvas);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.autoClear = false;
    const { ball, size } = framing(source, frames);
    this.extent = Math.max(ball.radius, 1e-3);
    const typical = source.model.typical_force, arrow = Math.min(1.6 * size, 0.25 * this.extent);
    this.options = {
      points: true, arrows: false, cones: false, worst: false, inFront: true, onlyPicked: false,
      metresPerNewton: typical > 0 ? arrow / typical : 1, coneHeight: arrow, threshold: 1e-3 * typical,
      pointSize: Math.min(0.04 * size, 0.012 * this.extent),
    };
    this.panels = source.runs.map((run, k) => this.makePanel(run.source, k));
    this.coloring = this.panels[0].shapes.hasColors ? "model" : "bodies";
    this.camera.up.set(0, 0, 1);
    this.camera.near = 0.01 * this.extent;
    this.camera.far = 200 * this.extent;
    this.home.target.copy(ball.center);
    this.home.position.copy(ball.center).addScaledVector(new THREE.Vector3(0.9, -1.35, 0.62).normalize(), 2.9 * this.extent);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.invalidate());
    this.resetCamera();
    this.setTheme("light");
  }

  private makePanel(source: Source, run: number): Panel {
    const panel: Panel = {
      scene: new THREE.Scene(), shapes: new ShapeLayer(source, this.extent),
      contacts: new ContactLayer(source, this.options, SCENE_COLORS.light),
      ghost: run > 0 ? new ShapeLayer(ghostOf(source), this.extent) : undefined,
      sun: new THREE.DirectionalLight("#ffffff", 2), fill: new THREE.HemisphereLight("#ffffff", "#c9ccd2", 1),
    };
    const r = 2.2 * this.extent, { shadow } = panel.sun;
    panel.sun.castShadow = true;
    Object.assign(shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * r, far: 6 * r });
    shadow.mapSize.set(2048, 2048);
    shadow.bias = -0.0004;
    shadow.normalBias = 0.002 * this.extent;
    panel.scene.add(panel.shapes.root, panel.contacts.root, panel.sun, panel.sun.target, panel.fill);
    if (panel.ghost) panel.scene.add(panel.ghost.root);
    return panel;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const colors = SCENE_COLORS[theme];
    for (const { scene, shapes, contacts, ghost, sun, fill } of this.panels) {
      scene.background = new THREE.Color(colors.sky);
      scene.fog = new THREE.Fog(colors.sky, 7 * this.extent, 24 * this.extent);
      fill.intensity = colors.fill;
      sun.intensity = colors.sun;
      contacts.setTheme(colors);
      shapes.build(colors, this.coloring, 1);
      ghost?.build(colors, "model", 1);
    }
    this.invalidate();
  }

  resetCamera(): void {
    this.camera.position.copy(this.home.position);
    this.controls.target.copy(this.home.target);
    this.controls.update();
    this.invalidate();
  }

  // A ghost is shown where it can be told from the body itself.
  show(frames: (Frame | undefined)[], index: number): void {
    this.panels.forEach(({ shapes, contacts, ghost }, k) => {
      const frame = frames[k], first = frames[0];
      shapes.root.visible = contacts.root.visible = frame !== undefined;
      if (frame) {
        shapes.show(frame);
        contacts.show(frame, -1, -1, -1);
      }
      if (!ghost || !first) return;
      ghost.root.visible = this.ghosts && !(this.source.runs[k].distance[this.source.indexOf(k, index)] < 1e-3 * this.extent);
      ghost.show(first);
    });
    this.invalidate();
  }

  invalidate(): void { this.stale = true; }

  // Where a point of the world is in the window, in the panel of a run; for tests.
  toScreen(run: number, point: number[]): { x: number; y: number } {
    const box = this.places[run].getBoundingClientRect(), at = new THREE.Vector3(...point).project(this.camera);
    return { x: box.left + (at.x + 1) / 2 * box.width, y: box.top + (1 - at.y) / 2 * box.height };
  }

  // Draws if anything changed since.
  render(): boolean {
    const area = this.canvas.parentElement!.getBoundingClientRect();
    const ratio = Math.min(devicePixelRatio, 2), size = this.renderer.getSize(new THREE.Vector2());
    if (size.x !== area.width || size.y !== area.height || this.renderer.getPixelRatio() !== ratio) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(area.width, area.height, false);
      this.stale = true;
    }
    if (!this.stale) return false;
    this.stale = false;
    this.renderer.setScissorTest(false);
    this.renderer.setClearColor(SCENE_COLORS[this.theme].sky);
    this.renderer.clear();
    this.renderer.setScissorTest(true);
    this.panels.forEach((panel, k) => {
      const box = this.places[k].getBoundingClientRect();
      if (box.width < 2 || box.height < 2) return;
      const x = box.left - area.left, y = area.bottom - box.bottom;
      this.renderer.setViewport(x, y, box.width, box.height);
      this.renderer.setScissor(x, y, box.width, box.height);
      this.camera.aspect = box.width / box.height;
      this.camera.updateProjectionMatrix();
      const { sun } = panel, { target } = this.controls;
      sun.target.position.copy(target);
      sun.position.copy(target).add(new THREE.Vector3(2.2, -1.2, 4.5).multiplyScalar(1.3 * this.extent));
      panel.contacts.faceCamera(this.camera);
      this.renderer.render(panel.scene, this.camera);
    });
    return true;
  }
}
