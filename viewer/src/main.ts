// The page: puts source, stage, timeline and controls together.
import GUI from "lil-gui";
import { startComparison } from "./compare_page";
import { Details } from "./details";
import { EmbeddedSource } from "./embedded_source";
import { baseName, Film, savePng } from "./exports";
import { number } from "./format";
import { type Key, listenToKeys } from "./keys";
import { LivePanel } from "./live_panel";
import { LivePlayer } from "./live_player";
import { LivePull } from "./live_pull";
import { LiveSource } from "./live_source";
import { Player } from "./player";
import { type Frame, REGIMES, type Source, toWorld, uncertifiedReasons } from "./source";
import { NOTHING, NoWebGL, type Picked, Stage } from "./stage";
import { REGIME_COLORS, systemTheme, type Theme, WORST_COLOR } from "./theme";
import { Timeline } from "./timeline";
import { Transport } from "./transport";

const element = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;

function say(text: string, seconds = 0): void {
  const message = element("message");
  message.textContent = text;
  message.hidden = text === "";
  if (seconds > 0) setTimeout(() => { if (message.textContent === text) message.hidden = true; }, 1000 * seconds);
}

function sayError(error: unknown): void {
  say(error instanceof Error ? error.message : String(error));
}

// Contacts have other numbers in other frames: the one between the same shapes that is nearest; -1 where they part.
function sameContact(then: Frame, contact: number, now: Frame): number {
  const a = then.contacts, row = a.begin + contact, b = now.contacts;
  let best = -1, nearest = Infinity;
  for (let k = 0; k < b.count; ++k) {
    const other = b.begin + k;
    if (b.shapeA[other] !== a.shapeA[row] || b.shapeB[other] !== a.shapeB[row]) continue;
    const distance = Math.hypot(...b.position.map((column, axis) => column[other] - a.position[axis][row]));
    if (distance < nearest) nearest = distance, best = k;
  }
  return best;
}

class Page {
  readonly stage: Stage | undefined;
  readonly player: Player;
  private readonly timeline: Timeline;
  private readonly transport: Transport;
  private readonly details: Details;
  private readonly canvas = element<HTMLCanvasElement>("view");
  private gui: GUI | undefined;
  private film: Film | undefined;
  private theme: Theme = systemTheme();
  private picked: Picked = NOTHING;
  pull: LivePull | undefined;
  private panel: LivePanel | undefined;
  private frame: Frame;

  constructor(readonly source: Source, first: Frame, last: Frame) {
    this.frame = first;
    try {
      this.stage = new Stage(this.canvas, source, first, last, (extent, size) => ({
        points: true, arrows: true, cones: true, worst: true, inFront: true, onlyPicked: false,
        metresPerNewton: source.model.typical_force > 0 ? Math.min(1.6 * size, 0.25 * extent) / source.model.typical_force : 1,
        coneHeight: Math.min(1.6 * size, 0.25 * extent),
        threshold: 1e-3 * source.model.typical_force, pointSize: Math.min(0.04 * size, 0.012 * extent),
      }));
    } catch (error) {
      if (!(error instanceof NoWebGL)) throw error;
      say(error.message);
    }
    element("panel").hidden = false;
    const show = (frame: Frame) => this.show(frame), update = () => this.transport?.update();
    this.player = source instanceof LiveSource
      ? new LivePlayer(source, show, update, sayError, () => this.refresh())
      : new Player(source, show, update, sayError);
    this.details = new Details(element("details"), source, { follow: () => this.toggleFollow(), close: () => this.pick(NOTHING) });
    this.timeline = new Timeline(element("charts"), source, (index) => void this.player.go(index));
    this.transport = new Transport(element("transport"), source, this.player);
    this.setTitle();
    listenToKeys(this.keys(), element("help"));
    if (this.stage) {
      this.gui = this.makeGui(this.stage);
      this.listenToPointer();
    }
    if (source instanceof LiveSource) this.goLive(source, this.player as LivePlayer);
    this.setTheme(this.theme);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme(systemTheme()));
    this.show(first);
    requestAnimationFrame((now) => this.draw(now));
  }

  // Of a simulation: what steers it, and what it says.
  private goLive(source: LiveSource, player: LivePlayer): void {
    const panel = this.panel = new LivePanel(element("gui"), element("head"), source);
    if (this.stage) {
      this.pull = new LivePull(this.canvas, this.stage, source, () => panel.pulling, () => {
        player.following = true;
        if (!player.playing) say("The simulation is paused: it moves when you press space.", 3);
      });
    }
    source.onState = (state) => {
      player.take(state);
      panel.take(state);
    };
    source.onError = (message) => say(message, 6);
    source.onEnd = (message) => {
      player.playing = false;
      this.transport.update();
      say(message, 12);
    };
    if (source.state) source.onState(source.state);
  }

  // There are more steps than before.
  private refresh(): void {
    this.timeline.refresh();
    this.transport.draw();
    this.transport.update();
  }

  private setTitle(): void {
    const { model } = this.source;
    document.title = `${model.title} · Stiction`;
    element("title").textContent = model.title;
    element("legend").innerHTML = REGIMES.map((name, k) => `<span><i style="background:${REGIME_COLORS[k]}"></i>${name}</span>`).join("")
      + `<span><i class="ring" style="border-color:${WORST_COLOR}"></i>largest residual</span>`;
  }

  private draw(now: number): void {
    this.player.tick(now);
    this.stage?.render();
    requestAnimationFrame((later) => this.draw(later));
  }

  private show(frame: Frame): void {
    if (this.picked.contact >= 0 && frame !== this.frame) this.picked = { body: -1, contact: sameContact(this.frame, this.picked.contact, frame) };
    this.frame = frame;
    this.stage?.show(frame, this.source.steps.worst_contact[frame.index], this.picked);
    this.pull?.show();
    this.timeline.show(frame.index);
    this.transport.update();
    this.showChip(frame.index);
    this.showDetails();
  }

  private showDetails(): void {
    const { contacts } = this.frame, { body, contact } = this.picked;
    const side = contact >= 0 && this.stage ? this.stage.contacts.side(contacts, contacts.begin + contact) : 1;
    this.details.show(this.frame, this.picked, body >= 0 && this.stage?.follows === body, side);
  }

  private showChip(index: number): void {
    const { steps } = this.source, reasons = uncertifiedReasons(steps, index), chip = element("chip");
    if (Number.isNaN(steps.eps_nat[index])) {
      chip.className = "";
      chip.textContent = "not stepped yet";
      return;
    }
    chip.className = reasons.length ? "bad" : "good";
    chip.textContent = (reasons.length ? `not certified: ${reasons.join(", ")}` : "certified")
      + ` · ${steps.num_contacts[index]} contacts · ε ${number(steps.eps_nat[index], 2)}`;
  }

  pick(picked: Picked): void {
    this.picked = picked;
    this.stage?.select(picked);
    if (picked.body < 0) this.stage?.follow(-1);
    this.show(this.frame);
  }
  get pickedNow(): Picked { return this.picked; }
  get frameNow(): Frame { return this.frame; }

  private toggleFollow(): void {
    if (!this.stage || this.picked.body < 0) return say("Pick a body to follow it.", 2);
    this.stage.follow(this.stage.follows === this.picked.body ? -1 : this.picked.body);
    this.showDetails();
  }

  private setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.stage?.setTheme(theme);
    this.timeline.build();
    this.transport.draw();
    this.gui?.controllersRecursive().forEach((controller) => controller.updateDisplay());
  }

  // A click is a press that hardly moves; drags turn the camera.
  private listenToPointer(): void {
    let down: PointerEvent | undefined;
    this.canvas.addEventListener("pointerdown", (event) => { down = event.isPrimary ? event : undefined; });
    this.canvas.addEventListener("pointerup", (event) => {
      if (!down || event.button !== 0 || Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 5) return;
      this.pick(this.stage!.pick(event.clientX, event.clientY));
    });
    this.canvas.addEventListener("webglcontextlost", () => say("The graphics of this browser have stopped. Load the page again."));
  }

  private makeGui(stage: Stage): GUI {
    const gui = new GUI({ container: element("gui"), title: "View" });
    const options = stage.contacts.options, again = () => this.show(this.frame);
    const base = options.metresPerNewton, typical = this.source.model.typical_force;
    const forces = gui.addFolder("Contacts");
    forces.add(options, "points").onChange(again);
    forces.add(options, "arrows").name("force arrows").onChange(again);
    forces.add(options, "cones").name("friction cones").onChange(again);
    forces.add(options, "worst").name("largest residual").onChange(again);
    forces.add(options, "inFront").name("seen through bodies").onChange(again);
    forces.add(options, "onlyPicked").name("of the picked body").onChange(again);
    const state = { scale: 1, coloring: stage.look.coloring, opacity: stage.look.opacity };
    forces.add(state, "scale", 0.05, 10).name("arrow scale").onChange((scale: number) => {
      options.metresPerNewton = base * scale;
      again();
    });
    if (typical > 0) forces.add(options, "threshold", 0, typical).name("from, N").decimals(3).onChange(again);
    const size = options.pointSize;
    forces.add({ size: 1 }, "size", 0.2, 4).name("point size").onChange((factor: number) => {
      options.pointSize = size * factor;
      again();
    });
    const bodies = gui.addFolder("Bodies");
    const look = () => stage.setLook(state.coloring, state.opacity);
    bodies.add(state, "opacity", 0.1, 1).onChange(look);
    bodies.add(state, "coloring", { model: "model", bodies: "bodies" }).name("colours of").onChange(look);
    const page = gui.addFolder("Page");
    const self = this;
    page.add({ get dark() { return self.theme === "dark"; }, set dark(on: boolean) { self.setTheme(on ? "dark" : "light"); } }, "dark");
    page.add(this.player, "loop").name("play again and again");
    page.add({ png: () => this.savePng() }, "png").name("save picture (PNG)");
    page.add({ film: () => this.toggleFilm() }, "film").name("save film (WebM)");
    page.add({ help: () => this.toggleHelp() }, "help").name("keys (?)");
    if (innerWidth < 1000) gui.close();
    return gui;
  }

  private savePng(): void {
    this.stage?.invalidate();
    this.stage?.render();
    savePng(this.canvas, `${baseName(this.source.model.title)}-${this.source.steps.step[this.frame.index]}.png`);
  }

  // Films from here to the end, at the speed that is set; once more stops it.
  private toggleFilm(): void {
    if (this.film) {
      this.film.stop();
      this.film = undefined;
      this.player.pause();
      return;
    }
    try {
      this.film = new Film(this.canvas, baseName(this.source.model.title),
        () => sayError(new Error("The browser gave no pictures to film: it is too slow, or its window is hidden.")));
    } catch (error) {
      return sayError(error);
    }
    say("Filming; stops at the end, or with v.", 3);
    this.player.play();
    const film = this.film, wait = setInterval(() => {
      if (this.player.playing && this.film === film) return;
      clearInterval(wait);
      film.stop();
      if (this.film === film) this.film = undefined;
    }, 100);
  }

  private toggleHelp(): void {
    const help = element("help");
    help.hidden = !help.hidden;
  }

  private toggle(option: "points" | "arrows" | "cones" | "inFront"): void {
    if (!this.stage) return;
    this.stage.contacts.options[option] = !this.stage.contacts.options[option];
    this.gui?.controllersRecursive().forEach((controller) => controller.updateDisplay());
    this.show(this.frame);
  }

  private keys(): Key[] {
    const { player } = this;
    const go = (index: number) => {
      player.pause();
      void player.go(index);
    };
    const live = this.source instanceof LiveSource ? this.source : undefined;
    return [
      ...(live ? [
        { keys: ["Backspace"], label: "backspace", help: "reset the simulation", action: () => live.send({ do: "reset" }) },
        { keys: ["g"], label: "g", help: "drags pull bodies; without it ctrl and a drag do", action: () => this.togglePulling() },
      ] : []),
      { keys: [" "], label: "space", help: "play or pause", action: () => player.toggle() },
      { keys: ["ArrowRight"], label: "→", help: "one step on", action: () => void player.step(1) },
      { keys: ["ArrowLeft"], label: "←", help: "one step back", action: () => void player.step(-1) },
      { keys: ["Shift+ArrowRight"], label: "shift →", help: "ten steps on", action: () => void player.step(10) },
      { keys: ["Shift+ArrowLeft"], label: "shift ←", help: "ten steps back", action: () => void player.step(-10) },
      { keys: ["Home"], label: "home", help: "first step", action: () => go(0) },
      { keys: ["End"], label: "end", help: "last step", action: () => go(player.end) },
      { keys: ["n", "p"], label: "n p", help: "next, previous step that is not certified", action: (e) => this.transport.goBad(e.key === "n" ? 1 : -1) },
      { keys: ["w"], label: "w", help: "step of the largest residual", action: () => go(player.worst) },
      { keys: ["[", "]"], label: "[ ]", help: "slower, faster", action: (e) => this.transport.changeSpeed(e.key === "]" ? 1 : -1) },
      { keys: ["c"], label: "c", help: "friction cones", action: () => this.toggle("cones") },
      { keys: ["a"], label: "a", help: "force arrows", action: () => this.toggle("arrows") },
      { keys: ["o"], label: "o", help: "contact points", action: () => this.toggle("points") },
      { keys: ["x"], label: "x", help: "contacts seen through bodies", action: () => this.toggle("inFront") },
      { keys: ["f"], label: "f", help: "follow the picked body", action: () => this.toggleFollow() },
      { keys: ["r"], label: "r", help: "camera as at the start", action: () => this.stage?.resetCamera() },
      { keys: ["d"], label: "d", help: "light or dark", action: () => this.setTheme(this.theme === "dark" ? "light" : "dark") },
      { keys: ["s"], label: "s", help: "save a picture (PNG)", action: () => this.savePng() },
      { keys: ["v"], label: "v", help: "film from here on (WebM); once more to stop", action: () => this.toggleFilm() },
      { keys: ["Escape"], label: "esc", help: "pick nothing, close this", action: () => this.escape() },
      { keys: ["?", "h"], label: "?", help: "this list", action: () => this.toggleHelp() },
    ];
  }

  private togglePulling(): void {
    if (!this.panel) return;
    this.panel.pulling = !this.panel.pulling;
    this.panel.gui.controllersRecursive().forEach((controller) => controller.updateDisplay());
  }

  private escape(): void {
    element("help").hidden = true;
    this.pick(NOTHING);
  }
}

// What tests read; also for those who open the console.
function expose(page: Page): void {
  const { source } = page;
  const vectorAt = (columns: Float32Array[], row: number) => columns.map((column) => column[row]);
  Object.assign(window, {
    stiction: {
      model: source.model,
      get steps() { return source.steps; },
      pull: page.pull,
      player: page.player,
      stage: page.stage,
      seek: (index: number) => page.player.go(index),
      picked: () => page.pickedNow,
      bodies: () => source.model.bodies.map((_, b) => vectorAt(page.frameNow.bodies, page.frameNow.bodyBegin + b)),
      // Contacts of the frame with what is drawn of them.
      contacts: () => {
        const c = page.frameNow.contacts, shown = page.stage?.contacts.shown(page.frameNow);
        return Array.from({ length: c.count }, (_, k) => {
          const row = c.begin + k;
          return {
            shapes: [c.shapeA[row], c.shapeB[row]], regime: REGIMES[c.regime[row]], friction: c.friction[row], gap: c.gap[row],
            position: vectorAt(c.position, row), normal: vectorAt(c.normal, row),
            force: toWorld(c, row, vectorAt(c.force, row)), forceInFrame: vectorAt(c.force, row), velocity: vectorAt(c.velocity, row), shown: shown?.[k],
          };
        });
      },
    },
  });
}

async function start(): Promise<void> {
  document.documentElement.dataset.theme = systemTheme();
  if (document.getElementById("comparison")) return startComparison();
  const live = document.getElementById("live");
  if (live) say("Waiting for the simulation …");
  const source = live ? await LiveSource.open(live.textContent!) : await EmbeddedSource.open();
  const page = new Page(source, await source.frame(0), await source.frame(source.numFrames - 1));
  if (page.stage) say("");
  expose(page);
  document.documentElement.dataset.ready = "true";
}

start().catch(sayError);
