// The page of a comparison: the runs side by side, time and camera linked.
import { CompareCharts } from "./compare_charts";
import { runColor } from "./compare_colors";
import { LinkedSource } from "./compare_source";
import { CompareStage } from "./compare_stage";
import { CompareStrips } from "./compare_strips";
import { tableOf } from "./compare_table";
import { baseName, savePng } from "./exports";
import { escape, number } from "./format";
import { type Key, listenToKeys } from "./keys";
import { Player } from "./player";
import { type Frame, uncertifiedReasons } from "./source";
import { NoWebGL } from "./stage";
import { systemTheme, type Theme } from "./theme";

const element = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;

function say(text: string): void {
  const message = element("message");
  message.textContent = text;
  message.hidden = text === "";
}

function length(metres: number): string {
  return metres < 1e-3 ? `${number(1e6 * metres, 3)} µm` : metres < 1 ? `${number(1e3 * metres, 3)} mm` : `${number(metres, 3)} m`;
}

// As many columns as make the panels largest.
function columnsFor(count: number, width: number, height: number): number {
  let best = 1, largest = 0;
  for (let columns = 1; columns <= count; ++columns) {
    const size = Math.min(width / columns, 1.25 * height / Math.ceil(count / columns));
    if (size > largest + 0.5) largest = size, best = columns;
  }
  return best;
}

class ComparePage {
  readonly stage: CompareStage | undefined;
  readonly player: Player;
  private readonly strips: CompareStrips;
  private readonly charts: CompareCharts;
  private readonly panels: HTMLElement[];
  private readonly grid = document.createElement("div");
  private readonly table = document.createElement("div");
  private theme: Theme = systemTheme();
  private alone = -1;  // the run that fills the page

  constructor(readonly source: LinkedSource, frames: Frame[]) {
    document.title = `${source.model.title} · Stiction`;
    document.body.classList.add("comparison");
    this.panels = source.runs.map((_, k) => this.makePanel(k));
    this.grid.id = "panels";
    this.grid.append(...this.panels);
    element("stage").append(this.grid);
    this.table.id = "table";
    this.table.hidden = true;
    this.table.innerHTML = tableOf(source);
    this.table.onclick = (event) => {
      if (event.target === this.table || (event.target as HTMLElement).tagName === "BUTTON") this.table.hidden = true;
    };
    document.body.append(this.table);
    this.layOut();
    try {
      this.stage = new CompareStage(element<HTMLCanvasElement>("view"), this.panels, source, frames);
    } catch (error) {
      if (!(error instanceof NoWebGL)) throw error;
      say(error.message);
    }
    const panel = element("panel"), bar = document.createElement("div"), charts = element("charts");
    panel.hidden = false;
    element("transport").remove();
    panel.prepend(bar);
    this.player = new Player(source, (frame) => this.show(frame.index), () => this.strips.update(), (error) => say(String(error)));
    this.strips = new CompareStrips(bar, source, this.player);
    this.charts = new CompareCharts(charts, source, (index) => void this.player.go(index));
    element("title").textContent = source.model.title;
    element("chip").hidden = true;
    element("legend").innerHTML = "<span>steps by the exact law: <i class=\"good\"></i>kept <i class=\"bad\"></i>broken</span><span><i class=\"ghost\"></i>where the first run is</span>";
    listenToKeys(this.keys(), element("help"));
    this.makeButtons();
    this.setTheme(this.theme);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme(systemTheme()));
    new ResizeObserver(() => this.layOut()).observe(element("stage"));
    this.show(0);
    requestAnimationFrame((now) => this.draw(now));
  }

  private makePanel(run: number): HTMLElement {
    const { info } = this.source.runs[run], panel = document.createElement("div");
    panel.className = "place";
    panel.innerHTML = `<h2><i></i>${escape(info.solver)} <small>${escape(info.law)}</small></h2><div class="state"></div><div class="away"></div>`;
    return panel;
  }

  private makeButtons(): void {
    const box = element("gui");
    box.innerHTML = "<button id=\"table-open\">table</button><button id=\"ghosts\" aria-pressed=\"true\">first run as ghost</button><button id=\"arrows\">forces</button><button id=\"dark\">dark</button><button id=\"keys\">?</button>";
    const get = (id: string) => box.querySelector<HTMLButtonElement>(`#${id}`)!;
    get("table-open").onclick = () => this.toggleTable();
    get("ghosts").onclick = () => this.toggleGhosts();
    get("arrows").onclick = () => this.toggleArrows();
    get("dark").onclick = () => this.setTheme(this.theme === "dark" ? "light" : "dark");
    get("keys").onclick = () => { element("help").hidden = !element("help").hidden; };
    box.addEventListener("click", (event) => (event.target as HTMLElement).blur());
  }

  private layOut(): void {
    const { clientWidth: width, clientHeight: height } = element("stage");
    this.panels.forEach((panel, k) => { panel.hidden = this.alone >= 0 && k !== this.alone; });
    const count = this.alone >= 0 ? 1 : this.panels.length, columns = columnsFor(count, width, height);
    this.grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    this.grid.style.gridTemplateRows = `repeat(${Math.ceil(count / columns)}, minmax(0, 1fr))`;
    this.stage?.invalidate();
  }

  private draw(now: number): void {
    this.player.tick(now);
    this.stage?.render();
    requestAnimationFrame((later) => this.draw(later));
  }

  private show(index: number): void {
    this.stage?.show(this.source.framesNow(index), index);
    this.strips.update();
    this.charts.show(index);
    this.panels.forEach((panel, k) => this.showState(panel, k, index));
  }

  private showState(panel: HTMLElement, k: number, index: number): void {
    const { info, source, distance } = this.source.runs[k], at = this.source.indexOf(k, index);
    const state = panel.querySelector<HTMLElement>(".state")!, away = panel.querySelector<HTMLElement>(".away")!;
    const hasEnded = info.failure !== "" && index > at;
    if (at < 0 || hasEnded) {
      state.className = "state bad";
      state.textContent = `ended after ${info.steps} steps: ${info.failure}`;
    } else {
      const reasons = uncertifiedReasons(source.steps, at);
      state.className = reasons.length ? "state bad" : "state good";
      state.textContent = (reasons.length ? `breaks the ${reasons.join(", ")}` : "keeps the law") + ` · ε ${number(source.steps.eps_nat[at], 2)}`;
    }
    const parted = info.parting_frame >= 0 && index >= info.parting_frame;
    panel.classList.toggle("parted", parted);
    away.textContent = k === 0 || at < 0 ? "" : `${length(distance[at])} from ${this.source.runs[0].info.solver}`;
  }

  private setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.panels.forEach((panel, k) => { panel.querySelector("i")!.style.background = runColor(k, theme); });
    this.stage?.setTheme(theme);
    this.strips.setTheme(theme);
    this.charts.setTheme(theme);
    element("dark").setAttribute("aria-pressed", String(theme === "dark"));
    this.show(this.player.index);
  }

  private toggleTable(): void { this.table.hidden = !this.table.hidden; }

  private toggleGhosts(): void {
    if (!this.stage) return;
    this.stage.ghosts = !this.stage.ghosts;
    element("ghosts").setAttribute("aria-pressed", String(this.stage.ghosts));
    this.show(this.player.index);
  }

  private toggleArrows(): void {
    if (!this.stage) return;
    const { options } = this.stage;
    options.arrows = options.cones = !options.arrows;
    element("arrows").setAttribute("aria-pressed", String(options.arrows));
    this.show(this.player.index);
  }

  private showAlone(run: number): void {
    this.alone = run >= this.panels.length || run === this.alone ? -1 : run;
    this.layOut();
  }

  private savePng(): void {
    this.stage?.invalidate();
    this.stage?.render();
    savePng(element<HTMLCanvasElement>("view"), `${baseName(this.source.model.title)}-${this.source.steps.step[this.player.index]}.png`);
  }

  private escape(): void {
    element("help").hidden = this.table.hidden = true;
    this.showAlone(-1);
  }

  private keys(): Key[] {
    const { player, strips } = this;
    const go = (index: number) => strips.goTo(index);
    return [
      { keys: [" "], label: "space", help: "play or pause", action: () => player.toggle() },
      { keys: ["ArrowRight"], label: "→", help: "one step on", action: () => void player.step(1) },
      { keys: ["ArrowLeft"], label: "←", help: "one step back", action: () => void player.step(-1) },
      { keys: ["Shift+ArrowRight"], label: "shift →", help: "ten steps on", action: () => void player.step(10) },
      { keys: ["Shift+ArrowLeft"], label: "shift ←", help: "ten steps back", action: () => void player.step(-10) },
      { keys: ["Home"], label: "home", help: "first step", action: () => go(0) },
      { keys: ["End"], label: "end", help: "last step", action: () => go(player.end) },
      { keys: ["p"], label: "p", help: "first step at which a run parts from the first one", action: () => go(strips.firstParting) },
      { keys: ["[", "]"], label: "[ ]", help: "slower, faster", action: (e) => strips.changeSpeed(e.key === "]" ? 1 : -1) },
      { keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"], label: "1 9", help: "one run alone; once more: all", action: (e) => this.showAlone(Number(e.key) - 1) },
      { keys: ["g"], label: "g", help: "the first run as a ghost in the others", action: () => this.toggleGhosts() },
      { keys: ["a"], label: "a", help: "contact forces and friction cones", action: () => this.toggleArrows() },
      { keys: ["t"], label: "t", help: "the table", action: () => this.toggleTable() },
      { keys: ["r"], label: "r", help: "camera as at the start", action: () => this.stage?.resetCamera() },
      { keys: ["d"], label: "d", help: "light or dark", action: () => this.setTheme(this.theme === "dark" ? "light" : "dark") },
      { keys: ["s"], label: "s", help: "save a picture (PNG)", action: () => this.savePng() },
      { keys: ["Escape"], label: "esc", help: "all runs, close this", action: () => this.escape() },
      { keys: ["?", "h"], label: "?", help: "this list", action: () => { element("help").hidden = !element("help").hidden; } },
    ];
  }
}

// What tests read; also for those who open the console.
function expose(page: ComparePage): void {
  const { source } = page;
  Object.assign(window, {
    stiction: {
      model: source.model, comparison: source.info, player: page.player, stage: page.stage,
      runs: source.runs.map((run) => ({ steps: run.source.steps, distance: run.distance, numFrames: run.source.numFrames })),
      seek: (index: number) => page.player.go(index),
      // Positions of the bodies of a run in the frame that is shown.
      bodies: (run: number) => {
        const frame = source.framesNow(page.player.index)[run];
        return frame && source.model.bodies.map((_, b) => [0, 1, 2].map((axis) => frame.bodies[axis][frame.bodyBegin + b]));
      },
    },
  });
}

// The camera shows the start, and the first run to its end: others may fly off.
export async function startComparison(): Promise<void> {
  const source = await LinkedSource.open();
  const page = new ComparePage(source, [await source.frame(0), await source.frame(source.numFrames - 1)]);
  if (page.stage) say("");
  await page.player.go(0);
  expose(page);
  document.documentElement.dataset.ready = "true";
}
