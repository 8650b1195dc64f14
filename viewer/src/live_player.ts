// Playing is what the simulation does; the page follows it, or looks back at what it has seen.
import type { LiveSource, LiveState } from "./live_source";
import { Player } from "./player";
import type { Frame } from "./source";

const REFRESH = 250;  // ms between two drawings of the charts

export class LivePlayer extends Player {
  following = true;
  private counted = 0;  // frames looked at for their certificate
  private shown: unknown;
  private refreshed = 0;
  private toldSpeed = 1;

  constructor(private readonly live: LiveSource, onFrame: (frame: Frame) => void, onState: () => void,
    onError: (error: unknown) => void, private readonly onMore: () => void) {
    super(live, onFrame, onState, onError);
    this.counted = live.numFrames;
    live.onForget = (count) => this.forget(count);
    if (live.state) this.take(live.state);
  }

  take(state: LiveState): void {
    this.playing = state.running !== 0;
    const speed = state.speed ?? Infinity;
    if (this.speed === this.toldSpeed) this.speed = speed;
    this.toldSpeed = speed;
    this.onState();
  }

  override play(): void {
    this.following = this.playing = true;
    this.live.send({ do: "run" });
    this.onState();
  }

  override pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.live.send({ do: "pause" });
    this.onState();
  }

  // At the end the simulation makes the step, before it the page goes through what it has seen.
  override step(count: number): Promise<void> {
    this.pause();
    if (count < 0 || !this.following) return this.go(this.index + count);
    this.live.send({ do: "step", count });
    return Promise.resolve();
  }

  override go(index: number): Promise<void> {
    this.following = index >= this.end;
    return super.go(index);
  }

  override tick(now: number): void {
    if (this.speed !== this.toldSpeed) {
      this.toldSpeed = this.speed;
      this.live.send({ do: "speed", factor: Number.isFinite(this.speed) ? this.speed : null });
    }
    for (; this.counted < this.live.numFrames; ++this.counted) {
      if (!this.live.isCertified(this.counted)) this.uncertified.push(this.counted);
    }
    const newest = this.live.frameNow(this.end);
    if (this.following && newest && newest.bodies !== this.shown) {
      this.shown = newest.bodies;
      this.wanted = this.end;
      this.arrive(newest);
    }
    if (now - this.refreshed > REFRESH) {
      this.refreshed = now;
      this.onMore();
    }
  }

  private forget(count: number): void {
    const kept = this.uncertified.filter((i) => i >= count).map((i) => i - count);
    this.uncertified.length = 0;
    this.uncertified.push(...kept);
    this.counted = Math.max(0, this.counted - count);
    this.index = Math.max(0, this.index - count);
    this.wanted = this.index;
    if (this.live.numFrames === 0) this.following = true;
  }
}
