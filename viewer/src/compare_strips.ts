// The bar below the runs: play, speed, clock, and one strip per run with its steps that break the law, and the step at
// which it parts from the first run.
import { runColor } from "./compare_colors";
import type { LinkedSource } from "./compare_source";
import { escape, number } from "./format";
import type { Player } from "./player";
import { isCertified } from "./source";
import { BAD_COLOR, type Theme } from "./theme";
import { icon, SPEEDS } from "./transport";

function seconds(time: number): string {
  return `${Number(time.toPrecision(3))} s`;
}

export class CompareStrips {
  private readonly strips: HTMLCanvasElement[];
  private readonly heads: HTMLElement[];
  private readonly play: HTMLButtonElement;
  private readonly clock: HTMLElement;
  private readonly speed: HTMLSelectElement;
  private theme: Theme = "light";

  constructor(element: HTMLElement, private readonly source: LinkedSource, private readonly player: Player) {
    const first = this.firstParting;
    element.innerHTML = `<div id="transport">
      <button id="play" title="play or pause (space)"></button>
      <button id="back" title="one step back (←)">${icon("back")}</button>
      <button id="forward" title="one step on (→)">${icon("forward")}</button>
      <select id="speed" title="speed ([ and ])" aria-label="speed">${SPEEDS.map((s) => `<option value="${s}">${s} ×</option>`).join("")}</select>
      <output id="clock"></output>
      <button id="part" ${first < 0 ? "hidden" : ""} title="the first step at which a run parts (p)">first parting: ${first < 0 ? "" : `${seconds(this.timeAt(first))}`}</button>
      <span id="same" ${first < 0 ? "" : "hidden"}>no run parts from the first</span></div>
      <div id="strips">${source.runs.map((run, k) => this.row(k, run.info.solver)).join("")}</div>`;
    const get = <T extends HTMLElement>(query: string) => element.querySelector<T>(query)!;
    this.play = get("#play");
    this.clock = get("#clock");
    this.speed = get("#speed");
    this.strips = [...element.querySelectorAll<HTMLCanvasElement>(".strip canvas")];
    this.heads = [...element.querySelectorAll<HTMLElement>(".strip .now")];
    this.play.onclick = () => player.toggle();
    get("#back").onclick = () => void player.step(-1);
    get("#forward").onclick = () => void player.step(1);
    get("#part").onclick = () => this.goTo(first);
    this.speed.onchange = () => {
      player.speed = Number(this.speed.value);
      this.speed.blur();  // keys are the page's again
    };
    element.querySelectorAll<HTMLElement>(".strip").forEach((strip) => this.drag(strip));
    element.querySelectorAll<HTMLButtonElement>(".parts").forEach((button) => {
      button.onclick = () => this.goTo(source.runs[Number(button.dataset.run)].info.parting_frame);
    });
    element.addEventListener("click", (event) => {
      if (event.detail > 0) (event.target as Element).closest("button")?.blur();  // by mouse: the space bar plays again
    });
    new ResizeObserver(() => this.draw()).observe(this.strips[0]);
    this.update();
  }

  private timeAt(frame: number): number { return this.source.steps.time[frame]; }

  get firstParting(): number {
    const frames = this.source.runs.map(({ info }) => info.parting_frame).filter((frame) => frame >= 0);
    return frames.length > 0 ? Math.min(...frames) : -1;
  }

  private row(run: number, solver: string): string {
    const { parting_frame: frame, failure } = this.source.runs[run].info;
    const end = run === 0 ? "<span>what the others are compared with</span>"
      : frame >= 0 ? `<button class="parts" data-run="${run}">parts at ${seconds(this.timeAt(frame))}</button>` : "<span>does not part</span>";
    return `<div class="run" data-run="${run}"><b><i></i>${escape(solver)}</b>
      <div class="strip" role="slider" tabindex="0" aria-label="step of ${escape(solver)}" aria-valuemin="0" aria-valuemax="${this.player.end}">
      <canvas></canvas><div class="now"></div></div>${failure ? `<span class="failed" title="${escape(failure)}">ended</span>` : end}</div>`;
  }

  goTo(frame: number): void {
    if (frame < 0) return;
    this.player.pause();
    void this.player.go(frame);
  }

  private drag(strip: HTMLElement): void {
    const go = (event: PointerEvent) => {
      const box = strip.getBoundingClientRect();
      void this.player.go(Math.floor((event.clientX - box.left) / box.width * this.source.numFrames));
    };
    strip.addEventListener("pointerdown", (event) => {
      strip.setPointerCapture(event.pointerId);
      go(event);
    });
    strip.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.draw();
  }

  // Frames that keep the law, those that break it, and from where on the run is elsewhere.
  draw(): void {
    const style = getComputedStyle(document.documentElement), count = this.source.numFrames;
    this.strips.forEach((strip, k) => {
      const { info, source } = this.source.runs[k];
      (strip.closest(".run")!.querySelector("i") as HTMLElement).style.background = runColor(k, this.theme);
      const width = strip.width = Math.max(1, Math.round(strip.clientWidth * devicePixelRatio));
      const height = strip.height = Math.max(1, Math.round(strip.clientHeight * devicePixelRatio));
      const context = strip.getContext("2d")!;
      const x = (frame: number) => Math.floor(frame / count * width);
      context.fillStyle = style.getPropertyValue("--good");
      context.fillRect(0, 0, x(source.numFrames), height);
      context.fillStyle = BAD_COLOR;
      for (let i = 0; i < source.numFrames; ++i) {
        if (!isCertified(source.steps, i)) context.fillRect(x(i), 0, Math.max(1, Math.ceil(width / count)), height);
      }
      if (info.parting_frame < 0) return;
      const at = x(info.parting_frame), size = 0.5 * height;
      context.fillStyle = style.getPropertyValue("--text");
      context.fillRect(at, 0, 2 * devicePixelRatio, height);
      context.beginPath();
      context.moveTo(at, 0);
      context.lineTo(at + size, 0.5 * size);
      context.lineTo(at, size);
      context.fill();
    });
  }

  update(): void {
    const { player, source } = this, { time, step } = source.steps;
    this.play.innerHTML = icon(player.playing ? "pause" : "play");
    this.speed.value = String(player.speed);
    for (const head of this.heads) {
      head.style.left = `${100 * (player.index + 0.5) / source.numFrames}%`;
      head.parentElement!.setAttribute("aria-valuenow", String(player.index));
    }
    this.clock.textContent = `step ${step[player.index]} · ${number(time[player.index], 5)} s`;
  }

  changeSpeed(by: 1 | -1): void {
    const place = SPEEDS.findIndex((s) => s >= this.player.speed);
    this.player.speed = SPEEDS[Math.min(Math.max(place + by, 0), SPEEDS.length - 1)];
    this.update();
  }
}
