// Reads the columns that stiction/viewer/column_codec.h writes; that header has the layout.

const scratch = new Float32Array(1);
const scratchBits = new Int32Array(scratch.buffer);

// Bits of a float as integers in the order of the numbers.
function ordered(value: number): number {
  scratch[0] = value;
  const bits = scratchBits[0];
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

export class ColumnReader {
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  word(): number {
    const b = this.bytes, i = this.at;
    this.at += 4;
    return (b[i] | (b[i + 1] << 8) | (b[i + 2] << 16) | (b[i + 3] << 24)) >>> 0;
  }

  // Planes of zigzag words.
  integers(count: number): Int32Array {
    const out = new Int32Array(count);
    const b = this.bytes, p0 = this.take(4 * count), p1 = p0 + count, p2 = p1 + count, p3 = p2 + count;
    for (let i = 0; i < count; ++i) {
      const word = b[p0 + i] | (b[p1 + i] << 8) | (b[p2 + i] << 16) | (b[p3 + i] << 24);
      out[i] = (word >>> 1) ^ -(word & 1);
    }
    return out;
  }

  // before[i]: the row that row i follows in time, or −1.
  column(before: Int32Array): Float32Array {
    const count = before.length;
    const header = this.take(2);
    const order = this.bytes[header], shift = this.bytes[header + 1];
    const difference = this.integers(count);
    const out = new Float32Array(count), bits = new Int32Array(out.buffer);
    const ones = (1 << shift) - 1;
    for (let i = 0; i < count; ++i) {
      const p = order === 0 || i === 0 ? 0 : predict(out, before, i, order);
      const q = ((ordered(Number.isFinite(p) ? p : 0) >> shift) + difference[i]) | 0;
      const o = (q << shift) | (q < 0 ? ones : 0);
      bits[i] = o ^ ((o >> 31) & 0x7fffffff);
    }
    return out;
  }

  private take(count: number): number {
    const at = this.at;
    this.at += count;
    if (this.at > this.bytes.length) throw new Error("A block of the recording is shorter than it says. Make the page again.");
    return at;
  }
}

function predict(x: Float32Array, before: Int32Array, i: number, order: number): number {
  const one = before[i];
  if (one < 0) return x[i - 1];
  const two = order > 1 ? before[one] : -1;
  if (two < 0) return x[one];
  const three = order > 2 ? before[two] : -1;
  return Math.fround(three < 0 ? 2 * x[one] - x[two] : 3 * x[one] - 3 * x[two] + x[three]);
}

// Rows of tables whose rows follow each other.
export function chain(count: number, stride: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => Math.max(i - stride, -1));
}
