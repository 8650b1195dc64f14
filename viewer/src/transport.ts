// The bar below the picture: play, steps, speed, the strip of all steps with those that are not certified in red.
import { number } from "./format";
import type { Player } from "./player";
import { isCertified, type Source } from "./source";
import { BAD_COLOR } from "./theme";

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

const ICONS = {
  play: "M4 2l10 6-10 6z", pause: "M3 2h4v12H3zM9 2h4v12H9z", back: "M11 3v10L4 8zM3 3h1.5v10H3z", forward: "M5 3v10l7-5zM11.5 3H13v10h-1.5z",
};

export function icon(name: keyof typeof ICONS): string {
  return `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
}

export class Transport {
  private readonly play: HTMLButtonElement;
  private readonly strip: HTMLCanvasElement;
  private readonly head: HTMLElement;
  private readonly clock: HTMLElement;
  private readonly speed: HTMLSelectElement;
  private readonly bad: HTMLElement;
  private readonly good: HTMLElement;

  constructor(element: HTMLElement, private readonly source: Source, private readonly player: Player) {
    element.innerHTML = `
      <button id="play" title="play or pause (space)"></button>
      <button id="back" title="one step back (←)">${icon("back")}</button>
      <button id="forward" title="one step on (→)">${icon("forward")}</button>
      <select id="speed" title="speed ([ and ])" aria-label="speed">${SPEEDS.map((s) => `<option value="${s}">${s} ×</option>`).join("")}</select>
      <div id="strip" role="slider" tabindex="0" aria-label="step" aria-valuemin="0"><canvas></canvas><div class="now"></div></div>
      <output id="clock"></output>
      <span id="bad"><button id="bad-back" title="the one before (p)">‹</button><span></span><button id="bad-next" title="the next (n)">›</button></span>
      <span id="good">every step certified</span>`;
    const get = <T extends HTMLElement>(id: string) => element.querySelector<T>(id)!;
    this.play = get("#play");
    this.strip = get("canvas");
    this.head = get(".now");
    this.clock = get("#clock");
    this.speed = get("#speed");
    this.bad = get("#bad");
    this.good = get("#good");
    this.play.onclick = () => player.toggle();
    get("#back").onclick = () => void player.step(-1);
    get("#forward").onclick = () => void player.step(1);
    get("#bad-back").onclick = () => this.goBad(-1);
    get("#bad-next").onclick = () => this.goBad(1);
    this.speed.onchange = () => {
      player.speed = Number(this.speed.value);
      this.speed.blur();  // keys are the page's again
    };
    element.addEventListener("click", (event) => {
      if (event.detail > 0) (event.target as Element).closest("button")?.blur();  // by mouse: the space bar plays again
    });
    this.drag(get("#strip"));
    new ResizeObserver(() => this.draw()).observe(this.strip);
    this.update();
  }

  goBad(direction: 1 | -1): void {
    const index = this.player.nextUncertified(direction);
    if (index < 0) return;
    this.player.pause();
    void this.player.go(index);
  }

  // The strip counts frames, not seconds: a step is never thinner than its neighbours.
  private drag(strip: HTMLElement): void {
    const go = (event: PointerEvent) => {
      const box = strip.getBoundingClientRect(), place = (event.clientX - box.left) / box.width;
      void this.player.go(this.snap(Math.floor(place * this.source.numFrames), this.source.numFrames / box.width));
    };
    strip.addEventListener("pointerdown", (event) => {
      strip.setPointerCapture(event.pointerId);
      go(event);
    });
    strip.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
  }

  // A red line a pixel wide stands for many steps: a click near it means the one that is red.
  private snap(index: number, perPixel: number): number {
    const reach = 2 * perPixel;
    if (reach < 1) return index;
    let best = index, nearest = reach;
    for (const bad of this.player.uncertified) {
      const distance = Math.abs(bad - index);
      if (distance <= nearest) nearest = distance, best = bad;
    }
    return best;
  }

  draw(): void {
    const style = getComputedStyle(document.documentElement);
    const width = this.strip.width = Math.max(1, Math.round(this.strip.clientWidth * devicePixelRatio));
    const height = this.strip.height = Math.max(1, Math.round(this.strip.clientHeight * devicePixelRatio));
    const context = this.strip.getContext("2d")!, count = this.source.numFrames;
    context.fillStyle = style.getPropertyValue("--good");
    context.fillRect(0, 0, width, height);
    context.fillStyle = BAD_COLOR;
    for (let i = 0; i < count; ++i) {
      if (isCertified(this.source.steps, i)) continue;
      context.fillRect(Math.floor(i / count * width), 0, Math.max(1.5 * devicePixelRatio, Math.ceil(width / count)), height);
    }
  }

  update(): void {
    const { player, source } = this, { time, step } = source.steps;
    const shown = player.playing ? "pause" : "play";
    if (this.play.dataset.icon !== shown) this.play.innerHTML = icon(shown);
    this.play.dataset.icon = shown;
    const speed = String(player.speed);
    if (![...this.speed.options].some((option) => option.value === speed)) {
      this.speed.add(new Option(Number.isFinite(player.speed) ? `${speed} ×` : "max", speed));
    }
    this.speed.value = speed;
    this.head.style.left = `${100 * (player.index + 0.5) / source.numFrames}%`;
    this.head.parentElement!.setAttribute("aria-valuemax", String(player.end));
    this.head.parentElement!.setAttribute("aria-valuenow", String(player.index));
    const count = player.uncertified.length;
    this.bad.hidden = count === 0;
    this.good.hidden = count > 0;
    this.bad.querySelector("span")!.textContent = `${count} not certified`;
    this.clock.textContent = `step ${step[player.index]} · ${number(time[player.index], 5)} s`;
  }

  changeSpeed(by: 1 | -1): void {
    const found = SPEEDS.findIndex((s) => s >= this.player.speed), place = found < 0 ? SPEEDS.length : found;
    this.player.speed = SPEEDS[Math.min(Math.max(place + by, 0), SPEEDS.length - 1)];
    this.update();
  }
}
