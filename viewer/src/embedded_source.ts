// A recording inside the page: elements that stiction/viewer/page.h writes. Blocks are unpacked when they are wanted.
import { chain, ColumnReader } from "./codec";
import { inflate } from "./inflate";
import type { Contacts, Frame, ModelInfo, Source, StepColumns, Surface } from "./source";

const FORMAT = 1;
const NEW_CONTACT = -(2 ** 30);
const BLOCKS_KEPT = 24;

export interface Block {
  contactsBegin: Int32Array;  // per frame, and the end
  bodies: Float32Array[];
  contacts: Float32Array[];
}

export function textOf(id: string): string {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no data "${id}". It may be cut short: make it again with stiction view.`);
  return element.textContent!;
}

// What the writer says beside the model itself: how its columns are cut.
export interface EmbeddedModel extends ModelInfo {
  step_columns: string[];
  blocks: number[];
  meshes: { vertices: number; triangles: number }[];
}

export function readModel(): EmbeddedModel {
  const model = JSON.parse(textOf("model"));
  if (model.format !== FORMAT) {
    throw new Error(`The data have format ${model.format}, the page reads ${FORMAT}. Make the page again with stiction view.`);
  }
  return model;
}

export async function readModelSurfaces(model: EmbeddedModel): Promise<Surface[]> {
  return readSurfaces(await inflate(textOf("meshes")), model.meshes);
}

// One column of as many numbers as the element's run has frames.
export async function readColumn(id: string, count: number): Promise<Float32Array> {
  return new ColumnReader(await inflate(textOf(id))).column(chain(count, 1));
}

export function readSurfaces(bytes: Uint8Array, sizes: { vertices: number; triangles: number }[]): Surface[] {
  const reader = new ColumnReader(bytes);
  return sizes.map(({ vertices: count, triangles: numTriangles }) => {
    const vertices = new Float32Array(3 * count);
    for (let axis = 0; axis < 3; ++axis) {
      const column = reader.column(chain(count, 1));
      for (let i = 0; i < count; ++i) vertices[3 * i + axis] = column[i];
    }
    const steps = reader.integers(3 * numTriangles);
    const triangles = new Uint32Array(steps.length);
    let corner = 0;
    for (let i = 0; i < steps.length; ++i) triangles[i] = corner += steps[i];
    return { vertices, triangles };
  });
}

export function readSteps(bytes: Uint8Array, names: string[], count: number): StepColumns {
  const reader = new ColumnReader(bytes);
  const before = chain(count, 1);
  const steps: StepColumns = {};
  for (const name of names) steps[name] = reader.column(before);
  for (const name of ["time", "step"]) {  // in two parts
    steps[name] = Float64Array.from(steps[name], (value, i) => value + steps[`${name}_rest`][i]);
  }
  return steps;
}

export function readBlock(bytes: Uint8Array, numBodies: number): Block {
  const reader = new ColumnReader(bytes);
  const numFrames = reader.word(), numContacts = reader.word();
  const counts = reader.integers(numFrames);
  const contactsBegin = new Int32Array(numFrames + 1);
  for (let f = 0; f < numFrames; ++f) contactsBegin[f + 1] = contactsBegin[f] + counts[f];
  const above = chain(numFrames * numBodies, numBodies);
  const bodies = Array.from({ length: 13 }, () => reader.column(above));
  const before = reader.integers(numContacts);
  let expected = 0;
  for (let i = 0; i < numContacts; ++i) {
    if (before[i] === NEW_CONTACT) before[i] = -1;
    else expected = (before[i] += expected) + 1;
  }
  const contacts = Array.from({ length: 18 }, () => reader.column(before));
  return { contactsBegin, bodies, contacts };
}

// One row of a block as a frame with a number of its own.
export function frameOf(block: Block, row: number, index: number, numBodies: number): Frame {
  const c = block.contacts;
  const contacts: Contacts = {
    begin: block.contactsBegin[row], count: block.contactsBegin[row + 1] - block.contactsBegin[row],
    shapeA: c[0], shapeB: c[1], regime: c[2], friction: c[3], gap: c[4],
    position: c.slice(5, 8), normal: c.slice(8, 11), angle: c[11], force: c.slice(12, 15), velocity: c.slice(15, 18),
  };
  return { index, bodies: block.bodies, bodyBegin: row * numBodies, contacts };
}

export class EmbeddedSource implements Source {
  private readonly begins: number[] = [];  // first frame of each block
  private readonly blocks = new Map<number, Block>();  // least recently used first
  private readonly pending = new Map<number, Promise<Block>>();

  private constructor(readonly model: ModelInfo, readonly surfaces: Surface[], readonly steps: StepColumns, sizes: number[],
    private readonly prefix: string) {
    let first = 0;
    for (const size of sizes) {
      this.begins.push(first);
      first += size;
    }
  }

  static async open(): Promise<EmbeddedSource> {
    const model = readModel();
    return EmbeddedSource.openRun(model, await readModelSurfaces(model), "");
  }

  // One of several runs: its model tells of its frames, its elements begin with the prefix.
  static async openRun(model: EmbeddedModel, surfaces: Surface[], prefix: string): Promise<EmbeddedSource> {
    const steps = readSteps(await inflate(textOf(`${prefix}steps`)), model.step_columns, model.num_frames);
    return new EmbeddedSource(model, surfaces, steps, model.blocks, prefix);
  }

  get numFrames(): number { return this.model.num_frames; }

  async frame(index: number): Promise<Frame> {
    const k = this.blockOf(index);
    return this.frameIn(await this.block(k), k, index);
  }

  frameNow(index: number): Frame | undefined {
    const k = this.blockOf(index);
    const block = this.blocks.get(k);
    return block && this.frameIn(block, k, index);
  }

  prefetch(index: number): void {
    const next = this.blockOf(index) + 1;
    if (next < this.begins.length && !this.blocks.has(next)) this.block(next).catch(() => undefined);
  }

  private blockOf(index: number): number {
    let low = 0, high = this.begins.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.begins[middle] <= index) low = middle; else high = middle;
    }
    return low;
  }

  private async block(k: number): Promise<Block> {
    const known = this.blocks.get(k);
    if (known) {
      this.blocks.delete(k);
      this.blocks.set(k, known);
      return known;
    }
    let reading = this.pending.get(k);
    if (!reading) {
      reading = inflate(textOf(`${this.prefix}frames-${k}`)).then((bytes) => readBlock(bytes, this.model.bodies.length));
      this.pending.set(k, reading);
      reading.finally(() => this.pending.delete(k)).catch(() => undefined);
    }
    const block = await reading;
    this.blocks.set(k, block);
    if (this.blocks.size > BLOCKS_KEPT) this.blocks.delete(this.blocks.keys().next().value!);
    return block;
  }

  private frameIn(block: Block, k: number, index: number): Frame {
    return frameOf(block, index - this.begins[k], index, this.model.bodies.length);
  }
}
