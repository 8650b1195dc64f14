// Where the page's data come from. A recording in the page is one source, a live simulation another: the model once,
// then frames with the same fields.

export interface BodyInfo { name: string; parent: number; joint: string; mass: number; com: number[] }

export type ShapeKind = "plane" | "sphere" | "capsule" | "cylinder" | "ellipsoid" | "box" | "convex_hull"
  | "triangle_mesh" | "height_field";

export interface ShapeInfo {
  name: string;
  body: number;      // -1: the world
  kind: ShapeKind;
  size: number[];    // of primitives, m
  pose: number[];    // in the body's frame: position, quaternion (x, y, z, w)
  color: number[];
  friction: number;
  mesh: number;      // -1: none
}

export interface Surface { vertices: Float32Array; triangles: Uint32Array }

export interface ModelInfo {
  format: number;
  title: string;
  stiction_version: string;
  time_step: number;
  solver: string;
  tolerance: number;
  acceptable_tolerance: number;
  geometric_tolerance: number;
  num_steps: number;    // of the recording
  num_frames: number;   // of them in the page
  typical_force: number;
  gravity: number[];
  bodies: BodyInfo[];
  shapes: ShapeInfo[];
}

export const REGIMES = ["open", "sticking", "sliding"] as const;

// Contacts of one frame, a slice of columns. Position and normal (from b to a) in world axes; force on body a and
// relative velocity in the contact frame (t1, t2, n).
export interface Contacts {
  begin: number;
  count: number;
  shapeA: Float32Array;
  shapeB: Float32Array;
  regime: Float32Array;
  friction: Float32Array;
  gap: Float32Array;
  position: Float32Array[];
  normal: Float32Array[];
  angle: Float32Array;  // of the contact frame about the normal
  force: Float32Array[];
  velocity: Float32Array[];
}

// World axes of a vector in the contact frame. The frame without angle is that of rotation_with_z (stiction/math/pose.h).
export function toWorld(contacts: Contacts, row: number, [t1, t2, along]: number[]): number[] {
  const [x, y, z] = contacts.normal.map((column) => column[row]);
  const h = 1 / (1 + Math.abs(z)), cosine = Math.cos(contacts.angle[row]), sine = Math.sin(contacts.angle[row]);
  const e1 = z < 0 ? [1 - x * x * h, -x * y * h, x] : [1 - x * x * h, -x * y * h, -x];
  const e2 = z < 0 ? [x * y * h, y * y * h - 1, -y] : [-x * y * h, 1 - y * y * h, -y];
  const a = cosine * t1 - sine * t2, b = sine * t1 + cosine * t2;
  return [x, y, z].map((n, k) => a * e1[k] + b * e2[k] + along * n);
}

export interface Frame {
  index: number;
  // Columns of bodies, this frame's row of body b at bodyBegin + b: position, quaternion, velocity, angular velocity.
  bodies: Float32Array[];
  bodyBegin: number;
  contacts: Contacts;
}

// One value per frame; names are those of StepReport, and "time", "step", "dissipated_so_far".
export type StepColumns = Record<string, Float64Array | Float32Array>;

export interface Source {
  readonly model: ModelInfo;
  readonly surfaces: Surface[];
  readonly steps: StepColumns;
  readonly numFrames: number;
  frame(index: number): Promise<Frame>;
  // The frame if it can be had at once.
  frameNow(index: number): Frame | undefined;
  // Playing will soon need what follows this frame.
  prefetch(index: number): void;
}

export function isCertified(steps: StepColumns, index: number): boolean {
  return steps.law_certified[index] !== 0 && steps.geometry_certified[index] !== 0 && steps.energy_certified[index] !== 0;
}

// What keeps a step from being certified, in words.
export function uncertifiedReasons(steps: StepColumns, index: number): string[] {
  const reasons: string[] = [];
  if (steps.law_certified[index] === 0) reasons.push("law");
  if (steps.geometry_certified[index] === 0) reasons.push("geometry");
  if (steps.energy_certified[index] === 0) reasons.push("energy");
  return reasons;
}
