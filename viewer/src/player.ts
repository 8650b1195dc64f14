// Which frame is shown, and playing. Frames are never made up between those of the recording.
import type { Frame, Source } from "./source";
import { isCertified } from "./source";

export class Player {
  index = 0;
  playing = false;
  speed = 1;  // seconds of the recording per second
  loop = false;
  readonly uncertified: number[] = [];  // frames
  private time = 0;
  protected wanted = 0;
  private reading: Promise<void> | undefined;
  private last = 0;

  constructor(private readonly source: Source, private readonly onFrame: (frame: Frame) => void,
    protected readonly onState: () => void, private readonly onError: (error: unknown) => void) {
    for (let i = 0; i < source.numFrames; ++i) if (!isCertified(source.steps, i)) this.uncertified.push(i);
  }

  get end(): number { return this.source.numFrames - 1; }
  private timeOf(index: number): number { return this.source.steps.time[index]; }

  // Shows the frame; of many wanted while one is read, the last.
  seek(index: number): Promise<void> {
    this.wanted = Math.min(Math.max(Math.round(index), 0), this.end);
    if (!this.playing) this.time = this.timeOf(this.wanted);
    const ready = this.source.frameNow(this.wanted);
    if (ready) {
      this.arrive(ready);
      return Promise.resolve();
    }
    this.reading ??= this.read().finally(() => { this.reading = undefined; });
    return this.reading;
  }

  private async read(): Promise<void> {
    try {
      while (this.index !== this.wanted) {
        const frame = await this.source.frame(this.wanted);
        if (this.index !== this.wanted) this.arrive(frame);
      }
    } catch (error) {
      this.pause();
      this.onError(error);
    }
  }

  protected arrive(frame: Frame): void {
    this.index = frame.index;
    this.onFrame(frame);
  }

  // By hand: also moves the clock of playing.
  go(index: number): Promise<void> {
    const shown = this.seek(index);
    this.time = this.timeOf(this.wanted);
    return shown;
  }

  step(count: number): Promise<void> {
    this.pause();
    return this.go(this.wanted + count);
  }

  play(): void {
    if (this.wanted >= this.end) void this.go(0);
    this.playing = true;
    this.last = performance.now();
    this.onState();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.onState();
  }

  toggle(): void { if (this.playing) this.pause(); else this.play(); }

  // Called once per picture.
  tick(now: number): void {
    if (!this.playing) return;
    this.time += Math.min(now - this.last, 250) * 1e-3 * this.speed;
    this.last = now;
    const next = this.indexAt(this.time);
    if (this.time >= this.timeOf(this.end)) {
      if (this.loop) void this.go(0);
      else {
        this.pause();
        void this.go(this.end);
      }
      return;
    }
    if (next !== this.wanted) void this.seek(next);
    this.source.prefetch(next);
  }

  // The last frame that is not after the time.
  indexAt(time: number): number {
    let low = 0, high = this.source.numFrames;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.timeOf(middle) <= time) low = middle; else high = middle;
    }
    return low;
  }

  // The next frame that is not certified, going round; -1: there is none.
  nextUncertified(direction: 1 | -1): number {
    const list = this.uncertified;
    if (list.length === 0) return -1;
    if (direction > 0) return list.find((i) => i > this.index) ?? list[0];
    return [...list].reverse().find((i) => i < this.index) ?? list[list.length - 1];
  }

  // Where the judge found the largest residual.
  get worst(): number {
    const { eps_nat } = this.source.steps;
    let best = 0;
    for (let i = 1; i < eps_nat.length; ++i) if (eps_nat[i] > eps_nat[best]) best = i;
    return best;
  }
}
