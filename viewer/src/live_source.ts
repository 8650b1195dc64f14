// A simulation that runs elsewhere, over a WebSocket: stiction/viewer/live_messages.h has the messages. What was seen
// so far is kept and can be gone back to.
import { type Block, frameOf, readBlock, readSteps, readSurfaces } from "./embedded_source";
import { type Frame, isCertified, type ModelInfo, type Source, type StepColumns, type Surface } from "./source";

const FORMAT = 1;
const SURFACES = 1, FRAME = 2;  // first bytes of messages
const MOST_FRAMES = 36000, MOST_NUMBERS = 60e6;  // kept; ten minutes, 240 MB

export interface LiveModel extends ModelInfo {
  step_columns: string[];
  meshes: { vertices: number; triangles: number }[];
  actuators: { name: string; kind: string; lower: number | null; upper: number | null }[];
  keyframes: string[];
  solvers: string[];
  materials: { name: string; friction: number }[];
}

export interface LiveState {
  running: number;
  speed: number | null;  // null: as fast as it goes
  actual_speed: number;
  solver: string;
  friction_scale: number;
  frictions: number[];
  control: number[];
  failure: string;
  num_uncertified: number;
  recording: string;
  num_recorded: number;
}

export type Command = { do: string } & Record<string, unknown>;

function numbersIn(block: Block): number {
  return block.bodies.length * block.bodies[0].length + block.contacts.length * block.contacts[0].length;
}

export class LiveSource implements Source {
  state: LiveState | undefined;
  onState: (state: LiveState) => void = () => undefined;
  onModel: () => void = () => undefined;
  onError: (message: string) => void = () => undefined;
  onEnd: (message: string) => void = () => undefined;
  surfaces: Surface[] = [];
  // So many frames went out of memory at the front, or all because time began anew.
  onForget: (count: number) => void = () => undefined;
  private blocks: Block[] = [];
  private numbers = 0;
  private epoch = -1;
  private columns: Record<string, Float64Array> = {};
  private views: StepColumns | undefined;

  private constructor(private readonly socket: WebSocket, readonly model: LiveModel) {}

  // Resolves when the first frame is there.
  static open(path: string): Promise<LiveSource> {
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}${location.search}`;
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(address);
      socket.binaryType = "arraybuffer";
      let source: LiveSource | undefined, ready = false;
      socket.onmessage = ({ data }) => {
        try {
          if (typeof data === "string") {
            const message = JSON.parse(data);
            if (!source && message.type === "model") {
              if (message.format !== FORMAT) throw new Error("Page and simulation are of different versions. Load the page again.");
              source = new LiveSource(socket, { ...message, num_steps: 0, num_frames: 0 });
            } else source?.readText(message);
          } else if (source) {
            source.readBytes(new Uint8Array(data));
            if (!ready && source.numFrames > 0) {
              ready = true;
              resolve(source);
            }
          }
        } catch (error) {
          if (ready) source!.onError(error instanceof Error ? error.message : String(error));
          else reject(error);
        }
      };
      socket.onclose = () => {
        const message = ready
          ? "The simulation has ended, or the connection to it is lost. What was seen stays here. Start it again and open the new address."
          : "There is no connection to the simulation. Is it still running? Open the whole address that it printed, or start it again.";
        if (ready) source!.onEnd(message);
        else reject(new Error(message));
      };
    });
  }

  get numFrames(): number { return this.blocks.length; }

  get steps(): StepColumns {
    if (!this.views) {
      this.views = {};
      for (const name of Object.keys(this.columns)) this.views[name] = this.columns[name].subarray(0, this.blocks.length);
    }
    return this.views;
  }

  async frame(index: number): Promise<Frame> { return this.frameNow(index)!; }
  frameNow(index: number): Frame | undefined {
    const block = this.blocks[index];
    return block && frameOf(block, 0, index, this.model.bodies.length);
  }
  prefetch(): void { /* everything is here */ }

  send(command: Command): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  private readText(message: { type: string } & Record<string, unknown>): void {
    if (message.type === "state") this.onState(this.state = message as unknown as LiveState);
    else if (message.type === "error") this.onError(String(message.message));
    else if (message.type === "model") {
      Object.assign(this.model, message);
      this.onModel();
    }
  }

  private readBytes(bytes: Uint8Array): void {
    if (bytes[0] === SURFACES) this.surfaces = readSurfaces(bytes.subarray(1), this.model.meshes);
    else if (bytes[0] === FRAME) this.readFrame(bytes);
  }

  private readFrame(bytes: Uint8Array): void {
    const epoch = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1, true);
    const names = this.model.step_columns, begin = 5 + 6 * names.length;  // a column of one row has six bytes
    const row = readSteps(bytes.subarray(5, begin), names, 1);
    const block = readBlock(bytes.subarray(begin), this.model.bodies.length);
    if (epoch !== this.epoch) this.forget(this.blocks.length);
    this.epoch = epoch;
    // The same moment once more, with other friction say, stands for the one before.
    const last = this.blocks.length - 1;
    if (last >= 0 && this.columns.time[last] === row.time[0]) this.numbers -= numbersIn(this.blocks.pop()!);
    if (this.blocks.length >= MOST_FRAMES || this.numbers > MOST_NUMBERS) this.forget(this.blocks.length >> 1);
    const at = this.blocks.length;
    for (const name of names) {
      let column = this.columns[name];
      if (!column || at >= column.length) {
        const longer = new Float64Array(Math.max(1024, 2 * at));
        if (column) longer.set(column);
        column = this.columns[name] = longer;
      }
      column[at] = row[name][0];
    }
    this.blocks.push(block);
    this.numbers += numbersIn(block);
    this.views = undefined;
  }

  private forget(count: number): void {
    if (count === 0) return;
    for (const block of this.blocks.splice(0, count)) this.numbers -= numbersIn(block);
    for (const column of Object.values(this.columns)) column.copyWithin(0, count);
    this.views = undefined;
    this.onForget(count);
  }

  isCertified(index: number): boolean { return isCertified(this.steps, index); }
}
