// What steers the simulation: reset, keyframes, solver, friction, controls; and how fast it really is.
import GUI, { type Controller } from "lil-gui";
import type { LiveSource, LiveState } from "./live_source";

const MOST_MATERIALS = 12;

// A slider that shows what the simulation has, unless it is being moved here.
class Mirror {
  private touched = -Infinity;
  constructor(private readonly controller: Controller, send: (value: never) => void) {
    controller.onChange((value: never) => {
      this.touched = performance.now();
      send(value);
    });
  }
  show(value: unknown): void {
    if (performance.now() - this.touched < 600 || this.controller.getValue() === value) return;
    const { object, property } = this.controller;
    (object as Record<string, unknown>)[property] = value;
    this.controller.updateDisplay();
  }
}

export class LivePanel {
  pulling = false;  // a drag pulls without ctrl too
  readonly gui: GUI;
  private readonly speed: HTMLElement;
  private readonly failure: HTMLElement;
  private solver: Mirror;
  private scale: Mirror;
  private frictions: Mirror[];
  private controls: Mirror[];

  constructor(container: HTMLElement, head: HTMLElement, private readonly source: LiveSource) {
    const { model } = source;
    this.speed = document.createElement("div");
    this.speed.id = "live-speed";
    this.failure = document.createElement("div");
    this.failure.id = "failure";
    this.failure.setAttribute("role", "alert");
    this.failure.hidden = true;
    head.append(this.speed, this.failure);

    this.gui = new GUI({ container, title: "Simulation" });
    container.prepend(this.gui.domElement);
    this.gui.add({ reset: () => source.send({ do: "reset" }) }, "reset").name("reset (backspace)");
    if (model.keyframes.length > 0) this.addKeyframes(model.keyframes);
    this.gui.add(this, "pulling").name("drag pulls (g, or ctrl)");
    const values = { solver: model.solver, scale: 1 };
    this.solver = new Mirror(this.gui.add(values, "solver", model.solvers), (name) => source.send({ do: "solver", name }));
    const friction = this.gui.addFolder("Friction");
    this.scale = new Mirror(friction.add(values, "scale", 0, 3, 0.01).name("all times"), (scale) => source.send({ do: "friction", scale }));
    this.frictions = model.materials.slice(0, MOST_MATERIALS).map(({ name, friction: mu }, material) => {
      const slider = friction.add({ mu }, "mu", 0, Math.max(1.5, 2 * mu), 0.01).name(`μ of ${name}`);
      return new Mirror(slider, (value) => source.send({ do: "friction", material, value }));
    });
    this.controls = this.addControls();
    if (innerWidth < 1000) this.gui.close();
  }

  private addKeyframes(names: string[]): void {
    const none = "…", choice = { keyframe: none };
    const places = Object.fromEntries(names.map((name, k) => [name || `keyframe ${k}`, k]));
    const select = this.gui.add(choice, "keyframe", [none, ...Object.keys(places)]).name("go to keyframe");
    select.onChange((name: string) => {
      if (name === none) return;
      this.source.send({ do: "reset", keyframe: places[name] });
      choice.keyframe = none;
      select.updateDisplay();
    });
  }

  private addControls(): Mirror[] {
    const { actuators } = this.source.model;
    if (actuators.length === 0) return [];
    const folder = this.gui.addFolder("Controls");
    if (actuators.length > 12) folder.close();
    return actuators.map(({ name, kind, lower, upper }, actuator) => {
      const reach = kind === "position" ? Math.PI : 10;  // where the model has no limit
      const slider = folder.add({ value: 0 }, "value", lower ?? -reach, upper ?? reach).name(name || `actuator ${actuator}`);
      return new Mirror(slider.decimals(3), (value) => this.source.send({ do: "control", actuator, value }));
    });
  }

  take(state: LiveState): void {
    const target = state.speed === null ? "as fast as it goes" : `of ${state.speed} ×`;
    const recorded = state.recording ? ` · recording ${state.recording.split("/").pop()}` : "";
    this.speed.textContent = (state.running ? `${state.actual_speed.toFixed(2)} × real time ${target}` : "paused") + recorded;
    this.failure.hidden = state.failure === "";
    this.failure.textContent = state.failure === "" ? "" : `The simulation was paused by an error: ${state.failure}`;
    this.solver.show(state.solver);
    this.scale.show(state.friction_scale);
    this.frictions.forEach((mirror, k) => mirror.show(state.frictions[k]));
    this.controls.forEach((mirror, k) => mirror.show(state.control[k]));
  }
}
