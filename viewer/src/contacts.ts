// Contacts on the stage: points, force arrows, friction cones, the worst one. All are instances, one per contact; what
// is not shown is left out.
import * as THREE from "three";
import { type Contacts, type Frame, type Source, toWorld } from "./source";
import { REGIME_COLORS, WORST_COLOR, type SceneColors } from "./theme";

export interface ContactOptions {
  points: boolean;
  arrows: boolean;
  cones: boolean;
  worst: boolean;
  inFront: boolean;       // seen through bodies
  onlyPicked: boolean;    // of the picked body alone
  metresPerNewton: number;
  threshold: number;      // N; smaller forces have no arrow and no cone
  pointSize: number;      // m
  coneHeight: number;     // m, at most
}

// What one contact looks like, read back from the instances for tests.
export interface ShownContact { contact: number; arrowLength: number; coneAngle: number; color: string }

const UP = new THREE.Vector3(0, 0, 1);

function pointed(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  return geometry.rotateX(Math.PI / 2);  // along z
}

export class ContactLayer {
  readonly root = new THREE.Group();
  private capacity = 0;
  private points!: THREE.InstancedMesh;
  private shafts!: THREE.InstancedMesh;
  private heads!: THREE.InstancedMesh;
  private cones!: THREE.InstancedMesh;
  private readonly ring: THREE.Mesh;
  private readonly marked: THREE.Mesh;
  private shownArrows: number[] = [];
  private shownCones: number[] = [];
  private readonly colors = REGIME_COLORS.map((color) => new THREE.Color(color));

  constructor(private readonly source: Source, readonly options: ContactOptions, private theme: SceneColors) {
    const ringMaterial = (color: string) => new THREE.MeshBasicMaterial({ color, side: THREE.DoubleSide, depthTest: false, transparent: true });
    this.ring = new THREE.Mesh(new THREE.RingGeometry(1.7, 2.3, 40), ringMaterial(WORST_COLOR));
    this.marked = new THREE.Mesh(new THREE.RingGeometry(1.2, 1.5, 40), ringMaterial(theme.selection));
    for (const mesh of [this.ring, this.marked]) {
      mesh.renderOrder = 9;
      mesh.visible = false;
      this.root.add(mesh);
    }
    this.reserve(64);
  }

  setTheme(theme: SceneColors): void {
    this.theme = theme;
    (this.marked.material as THREE.MeshBasicMaterial).color.set(theme.selection);
    (this.shafts.material as THREE.MeshBasicMaterial).color.set(theme.arrow);
  }

  private reserve(count: number): void {
    if (count <= this.capacity) return;
    while (this.capacity < count) this.capacity = Math.max(64, 2 * this.capacity);
    for (const old of [this.points, this.shafts, this.heads, this.cones]) {
      if (!old) continue;
      this.root.remove(old);
      old.geometry.dispose();
      old.dispose();
    }
    const material = (options: THREE.MeshBasicMaterialParameters) => new THREE.MeshBasicMaterial({ transparent: true, ...options });
    const arrow = material({ color: this.theme.arrow });
    const make = (geometry: THREE.BufferGeometry, mat: THREE.Material, order: number, colored: boolean) => {
      const mesh = new THREE.InstancedMesh(geometry, mat, this.capacity);
      if (colored) mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * this.capacity), 3);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      mesh.count = 0;
      this.root.add(mesh);
      return mesh;
    };
    this.cones = make(pointed(new THREE.ConeGeometry(1, 1, 32, 1, true)).translate(0, 0, -0.5).rotateX(Math.PI),
      material({ opacity: 0.22, side: THREE.DoubleSide, depthWrite: false }), 6, true);
    this.shafts = make(pointed(new THREE.CylinderGeometry(1, 1, 1, 12)).translate(0, 0, 0.5), arrow, 7, false);
    this.heads = make(pointed(new THREE.ConeGeometry(1, 1, 16)).translate(0, 0, 0.5), arrow, 7, false);
    this.points = make(new THREE.SphereGeometry(1, 14, 10), material({}), 8, true);
  }

  // On which body the force is drawn: on the one that is held, never on the world: 1 for a, −1 for b.
  side(contacts: Contacts, row: number): 1 | -1 {
    const { shapes, gravity } = this.source.model;
    if (shapes[contacts.shapeA[row]].body < 0) return -1;
    if (shapes[contacts.shapeB[row]].body < 0) return 1;
    return gravity.reduce((sum, g, k) => sum + g * contacts.normal[k][row], 0) > 0 ? -1 : 1;
  }

  concerns(contacts: Contacts, row: number, body: number): boolean {
    const { shapes } = this.source.model;
    return shapes[contacts.shapeA[row]].body === body || shapes[contacts.shapeB[row]].body === body;
  }

  show(frame: Frame, worst: number, pickedBody: number, pickedContact: number): void {
    const c = frame.contacts, o = this.options;
    this.reserve(c.count);
    for (const mesh of [this.points, this.shafts, this.heads, this.cones]) {
      (mesh.material as THREE.Material).depthTest = !o.inFront;
    }
    (this.cones.material as THREE.Material).depthTest = true;
    this.shownArrows = [];
    this.shownCones = [];
    let numPoints = 0;
    const matrix = new THREE.Matrix4(), at = new THREE.Vector3(), force = new THREE.Vector3(), normal = new THREE.Vector3();
    for (let k = 0; k < c.count; ++k) {
      const row = c.begin + k;
      if (o.onlyPicked && pickedBody >= 0 && !this.concerns(c, row, pickedBody)) continue;
      const side = this.side(c, row);
      const color = this.colors[c.regime[row]];
      at.set(c.position[0][row], c.position[1][row], c.position[2][row]);
      if (o.points) {
        const size = o.pointSize * (c.regime[row] === 0 ? 0.6 : 1);
        this.points.setMatrixAt(numPoints, matrix.makeScale(size, size, size).setPosition(at));
        this.points.setColorAt(numPoints++, color);
      }
      const parts = c.force.map((column) => column[row]), newtons = Math.hypot(...parts);
      if (!(newtons > o.threshold)) continue;
      force.fromArray(toWorld(c, row, parts)).multiplyScalar(side);
      normal.set(c.normal[0][row], c.normal[1][row], c.normal[2][row]).multiplyScalar(side).normalize();
      if (o.arrows) this.addArrow(k, at, force, newtons * o.metresPerNewton);
      if (o.cones) this.addCone(k, at, normal, c.friction[row], Math.max(parts[2], 0) * o.metresPerNewton, color);
    }
    this.points.count = numPoints;
    this.shafts.count = this.heads.count = this.shownArrows.length;
    this.cones.count = this.shownCones.length;
    for (const mesh of [this.points, this.shafts, this.heads, this.cones]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    this.mark(this.ring, o.worst ? worst : -1, c);
    this.mark(this.marked, pickedContact, c);
  }

  // The shaft ends where the head begins; both together are as long as the force.
  private addArrow(contact: number, at: THREE.Vector3, force: THREE.Vector3, length: number): void {
    const i = this.shownArrows.push(contact) - 1;
    const rotation = new THREE.Quaternion().setFromUnitVectors(UP, force.clone().normalize());
    const width = Math.min(0.4 * this.options.pointSize, 0.08 * length), head = Math.min(0.4 * length, 6 * width);
    const matrix = new THREE.Matrix4();
    this.shafts.setMatrixAt(i, matrix.compose(at, rotation, new THREE.Vector3(width, width, length - head)));
    const tip = new THREE.Vector3(0, 0, length - head).applyQuaternion(rotation).add(at);
    this.heads.setMatrixAt(i, matrix.compose(tip, rotation, new THREE.Vector3(2.4 * width, 2.4 * width, head)));
  }

  // As high as the normal force, so that a force at the limit of friction ends on the rim; blows are cut.
  private addCone(contact: number, at: THREE.Vector3, normal: THREE.Vector3, friction: number, height: number, color: THREE.Color): void {
    if (!(height > 0 && friction > 0)) return;
    height = Math.min(height, this.options.coneHeight);
    const i = this.shownCones.push(contact) - 1;
    const rotation = new THREE.Quaternion().setFromUnitVectors(UP, normal);
    const radius = friction * height;
    this.cones.setMatrixAt(i, new THREE.Matrix4().compose(at, rotation, new THREE.Vector3(radius, radius, height)));
    this.cones.setColorAt(i, color);
  }

  private mark(mesh: THREE.Mesh, contact: number, c: Contacts): void {
    mesh.visible = contact >= 0 && contact < c.count;
    if (!mesh.visible) return;
    const row = c.begin + contact;
    mesh.position.set(c.position[0][row], c.position[1][row], c.position[2][row]);
    mesh.scale.setScalar(this.options.pointSize);
  }

  faceCamera(camera: THREE.Camera): void {
    this.ring.quaternion.copy(camera.quaternion);
    this.marked.quaternion.copy(camera.quaternion);
  }

  // Lengths in N and angles in rad, out of the matrices that are drawn.
  shown(frame: Frame): ShownContact[] {
    const matrix = new THREE.Matrix4(), p = new THREE.Vector3(), q = new THREE.Quaternion();
    const shaft = new THREE.Vector3(), head = new THREE.Vector3(), cone = new THREE.Vector3(), color = new THREE.Color();
    return Array.from({ length: frame.contacts.count }, (_, contact) => {
      const arrow = this.shownArrows.indexOf(contact), at = this.shownCones.indexOf(contact);
      const result: ShownContact = { contact, arrowLength: 0, coneAngle: NaN, color: "" };
      if (arrow >= 0) {
        this.shafts.getMatrixAt(arrow, matrix);
        matrix.decompose(p, q, shaft);
        this.heads.getMatrixAt(arrow, matrix);
        matrix.decompose(p, q, head);
        result.arrowLength = (shaft.z + head.z) / this.options.metresPerNewton;
      }
      if (at >= 0) {
        this.cones.getMatrixAt(at, matrix);
        matrix.decompose(p, q, cone);
        result.coneAngle = Math.atan2(cone.x, cone.z);
        this.cones.getColorAt(at, color);
        result.color = `#${color.getHexString()}`;
      }
      return result;
    });
  }
}
