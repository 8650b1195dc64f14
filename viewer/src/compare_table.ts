// The table of the runs, as `stiction compare` prints it.
import type { LinkedSource } from "./compare_source";
import { escape, number } from "./format";

// What is not finite comes as null.
function text(value: number | null): string {
  return value === null ? "not finite" : number(value, 2);
}

export function tableOf(source: LinkedSource): string {
  const { model } = source, head = ["solver", "model", "exact steps", "Signorini, J", "lift-off, m/s", "Coulomb, N s",
    "dissipation, N s", "energy gain, J", "drift, m", "parts at, s"];
  const rows = source.runs.map(({ info }, k) => [
    info.solver, info.law, `${info.certified_steps} of ${info.steps}`, text(info.signorini), text(info.separation),
    text(info.coulomb), text(info.dissipation), text(info.energy_gain),
    k === 0 ? "–" : text(info.largest_distance), info.parting_step < 0 ? "–" : number((info.parting_step + 1) * model.time_step, 3),
  ]);
  const failures = source.runs.filter(({ info }) => info.failure)
    .map(({ info }) => `<p><b>${escape(info.solver)}</b> ended after ${info.steps} steps: ${escape(info.failure)}</p>`);
  return `<div role="dialog" aria-label="table"><button aria-label="close">×</button><h2>What each run breaks of the exact law, the largest of all steps</h2>
    <table class="numbers"><tr>${head.map((name) => `<th>${name}</th>`).join("")}</tr>
    ${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`).join("")}</table>${failures.join("")}</div>`;
}
