// The three-dimensional view: renderer, lights, camera; what is drawn on it comes from the layers.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { ContactLayer, type ContactOptions } from "./contacts";
import { framing } from "./framing";
import { type Coloring, ShapeLayer } from "./shapes";
import type { Frame, Source } from "./source";
import { SCENE_COLORS, type Theme } from "./theme";

export interface Picked { body: number; contact: number }
export const NOTHING: Picked = { body: -1, contact: -1 };

export class NoWebGL extends Error {}

export function makeRenderer(canvas: HTMLCanvasElement): THREE.WebGLRenderer {
  if (!canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true })) {
    throw new NoWebGL("This browser shows no WebGL 2, which the picture needs. Switch on hardware acceleration in its settings "
      + "(Chrome: chrome://gpu, Firefox: about:support tell what is missing), or open the page with another browser. "
      + "Timeline and numbers work without it.");
  }
  return new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
}

export class Stage {
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly shapes: ShapeLayer;
  readonly contacts: ContactLayer;
  readonly extent: number;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly sun = new THREE.DirectionalLight("#ffffff", 2);
  private readonly fill = new THREE.HemisphereLight("#ffffff", "#c9ccd2", 1);
  private readonly home = { position: new THREE.Vector3(), target: new THREE.Vector3() };
  private theme: Theme = "light";
  private coloring: Coloring;
  private opacity = 1;
  private stale = true;
  private followed = -1;
  private readonly followedAt = new THREE.Vector3();
  private frame: Frame | undefined;

  constructor(private readonly canvas: HTMLCanvasElement, source: Source, first: Frame, last: Frame,
    options: (extent: number, size: number) => ContactOptions) {
    this.renderer = makeRenderer(canvas);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    const { ball, size } = framing(source, [first, last]);
    this.extent = Math.max(ball.radius, 1e-3);
    this.shapes = new ShapeLayer(source, this.extent);
    this.contacts = new ContactLayer(source, options(this.extent, size), SCENE_COLORS.light);
    this.coloring = this.shapes.hasColors ? "model" : "bodies";
    this.scene.add(this.shapes.root, this.contacts.root, this.fill, this.sun, this.sun.target);
    this.setLights();
    this.camera.up.set(0, 0, 1);
    this.camera.near = 0.01 * this.extent;
    this.camera.far = 200 * this.extent;
    this.home.target.copy(ball.center);
    const away = new THREE.Vector3(0.9, -1.35, 0.62).normalize();
    this.home.position.copy(ball.center).addScaledVector(away, 3.0 * this.extent);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.maxDistance = 60 * this.extent;
    this.controls.addEventListener("change", () => this.invalidate());
    this.resetCamera();
  }

  private setLights(): void {
    const r = 2.2 * this.extent, shadow = this.sun.shadow;
    this.sun.castShadow = true;
    Object.assign(shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * r, far: 6 * r });
    shadow.mapSize.set(4096, 4096);
    shadow.bias = -0.0004;
    shadow.normalBias = 0.002 * this.extent;
    shadow.radius = 3;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const colors = SCENE_COLORS[theme];
    this.scene.background = new THREE.Color(colors.sky);
    this.scene.fog = new THREE.Fog(colors.sky, 7 * this.extent, 24 * this.extent);
    this.fill.intensity = colors.fill;
    this.sun.intensity = colors.sun;
    this.contacts.setTheme(colors);
    this.rebuild();
  }

  setLook(coloring: Coloring, opacity: number): void {
    this.coloring = coloring;
    this.opacity = opacity;
    this.rebuild();
  }
  get look(): { coloring: Coloring; opacity: number } { return { coloring: this.coloring, opacity: this.opacity }; }

  private rebuild(): void {
    this.shapes.build(SCENE_COLORS[this.theme], this.coloring, this.opacity);
    this.invalidate();
  }

  resetCamera(): void {
    this.camera.position.copy(this.home.position);
    this.controls.target.copy(this.home.target);
    this.controls.update();
    this.invalidate();
  }

  // The camera moves along with a body; -1: it stays.
  follow(body: number): void {
    this.followed = body;
    if (body >= 0) this.followedAt.copy(this.shapes.bodyPosition(body));
  }
  get follows(): number { return this.followed; }

  select(picked: Picked): void {
    this.shapes.select(picked.body, SCENE_COLORS[this.theme]);
    this.invalidate();
  }

  show(frame: Frame, worst: number, picked: Picked): void {
    this.frame = frame;
    this.shapes.show(frame);
    this.contacts.show(frame, worst, picked.body, picked.contact);
    if (this.followed >= 0) {
      const at = this.shapes.bodyPosition(this.followed), moved = at.clone().sub(this.followedAt);
      if (Number.isFinite(moved.lengthSq())) {
        this.camera.position.add(moved);
        this.controls.target.add(moved);
        this.followedAt.copy(at);
        this.controls.update();
      }
    }
    this.invalidate();
  }

  // A contact near the point of the screen, else the body under it.
  pick(x: number, y: number): Picked {
    const box = this.canvas.getBoundingClientRect();
    const contact = this.contactAt(x - box.left, y - box.top, box.width, box.height);
    if (contact >= 0) return { body: -1, contact };
    const { hit } = this.cast(x, y);
    return { body: hit ? hit.body : -1, contact: -1 };
  }

  private contactAt(x: number, y: number, width: number, height: number): number {
    if (!this.frame || !this.contacts.options.points) return -1;
    const c = this.frame.contacts, at = new THREE.Vector3();
    let best = -1, nearest = 9;  // pixels
    for (let k = 0; k < c.count; ++k) {
      const row = c.begin + k;
      at.set(c.position[0][row], c.position[1][row], c.position[2][row]).project(this.camera);
      if (at.z > 1) continue;
      const distance = Math.hypot((at.x + 1) / 2 * width - x, (1 - at.y) / 2 * height - y);
      if (distance < nearest) nearest = distance, best = k;
    }
    return best;
  }

  // Where a point of the world is in the window, for tests.
  toScreen(point: number[]): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector3(...point).project(this.camera);
    return { x: box.left + (at.x + 1) / 2 * box.width, y: box.top + (1 - at.y) / 2 * box.height };
  }

  // Something of others on the stage.
  add(object: THREE.Object3D): void { this.scene.add(object); }

  // The ray through a point of the window, and what it meets first of the bodies.
  cast(x: number, y: number): { ray: THREE.Ray; hit: { body: number; point: THREE.Vector3 } | undefined } {
    const box = this.canvas.getBoundingClientRect(), caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height), this.camera);
    const hit = this.shapes.pick(caster);
    return { ray: caster.ray, hit: hit && { body: hit.body, point: caster.ray.at(hit.distance, new THREE.Vector3()) } };
  }

  invalidate(): void { this.stale = true; }

  // Draws if anything changed since.
  render(): boolean {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    const ratio = Math.min(devicePixelRatio, 2), size = this.renderer.getSize(new THREE.Vector2());
    if (size.x !== width || size.y !== height || this.renderer.getPixelRatio() !== ratio) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / Math.max(height, 1);
      this.camera.updateProjectionMatrix();
      this.stale = true;
    }
    if (!this.stale) return false;
    this.stale = false;
    this.sun.target.position.copy(this.controls.target);
    this.sun.position.copy(this.controls.target).add(new THREE.Vector3(2.2, -1.2, 4.5).multiplyScalar(1.3 * this.extent));
    this.contacts.faceCamera(this.camera);
    this.renderer.render(this.scene, this.camera);
    return true;
  }
}
