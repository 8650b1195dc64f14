// Pulling a body with the mouse: in the plane of the screen through the point that was taken hold of. The force is the
// simulation's (stiction/viewer/live_pull.h); here is where to.
import * as THREE from "three";
import type { LiveSource } from "./live_source";
import type { Stage } from "./stage";

const COLOR = "#e11d74";

export class LivePull {
  private body = -1;
  private readonly local = new THREE.Vector3();
  private readonly target = new THREE.Vector3();
  private readonly plane = new THREE.Plane();
  private readonly line: THREE.Line;
  private readonly end: THREE.Mesh;

  // `wanted`: whether a drag shall pull although ctrl is not held.
  constructor(canvas: HTMLCanvasElement, private readonly stage: Stage, private readonly source: LiveSource,
    private readonly wanted: () => boolean, private readonly onPull: () => void) {
    const material = { color: COLOR, depthTest: false, transparent: true };
    this.line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([this.local, this.target]), new THREE.LineBasicMaterial(material));
    this.line.frustumCulled = false;
    this.end = new THREE.Mesh(new THREE.SphereGeometry(0.012 * stage.extent, 16, 12), new THREE.MeshBasicMaterial(material));
    this.line.renderOrder = this.end.renderOrder = 6;
    this.line.visible = this.end.visible = false;
    stage.add(this.line);
    stage.add(this.end);
    // Before the camera's controls, which turn with the same button.
    canvas.addEventListener("pointerdown", (event) => this.begin(event, canvas), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      canvas.addEventListener(name, (event) => this.finish(event), { capture: true });
    }
    canvas.addEventListener("contextmenu", (event) => { if (event.ctrlKey) event.preventDefault(); });  // a Mac's ctrl click
  }

  get pulled(): number { return this.body; }

  private begin(event: PointerEvent, canvas: HTMLCanvasElement): void {
    if (this.body >= 0 || !event.isPrimary || event.button !== 0) return;
    if (!event.ctrlKey && !event.metaKey && !this.wanted()) return;
    const { hit } = this.stage.cast(event.clientX, event.clientY);
    if (!hit || hit.body < 0) return;
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
    this.body = hit.body;
    this.local.copy(hit.point).applyMatrix4(this.stage.shapes.bodyPose(hit.body).clone().invert());
    this.plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), hit.point);
    this.target.copy(hit.point);
    this.send();
    this.onPull();
  }

  private move(event: PointerEvent): void {
    if (this.body < 0) return;
    event.stopImmediatePropagation();
    const at = this.stage.cast(event.clientX, event.clientY).ray.intersectPlane(this.plane, new THREE.Vector3());
    if (!at) return;
    this.target.copy(at);
    this.send();
  }

  private finish(event: PointerEvent): void {
    if (this.body < 0) return;
    event.stopImmediatePropagation();
    this.body = -1;
    this.source.send({ do: "release" });
    this.line.visible = this.end.visible = false;
    this.stage.invalidate();
  }

  private send(): void {
    this.source.send({ do: "pull", body: this.body, point: this.local.toArray(), target: this.target.toArray() });
    this.show();
  }

  // The body has moved, or the mouse.
  show(): void {
    if (this.body < 0) return;
    const held = this.local.clone().applyMatrix4(this.stage.shapes.bodyPose(this.body));
    this.line.geometry.setFromPoints([held, this.target]);
    this.end.position.copy(this.target);
    this.line.visible = this.end.visible = true;
    this.stage.invalidate();
  }
}
