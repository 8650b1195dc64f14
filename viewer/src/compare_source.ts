// The runs of a comparison: elements that stiction/viewer/comparison_page.h writes.
import { EmbeddedSource, readColumn, readModel, readModelSurfaces, textOf } from "./embedded_source";
import type { Frame, ModelInfo, Source, StepColumns, Surface } from "./source";

// A line of the table; names are those of ComparedRun and Residuals.
export interface RunInfo {
  solver: string;
  law: string;
  steps: number;
  certified_steps: number;
  eps_nat: number;
  signorini: number;
  separation: number;
  coulomb: number;
  dissipation: number;
  energy_error: number;
  energy_gain: number;
  largest_distance: number;
  largest_penetration: number;
  steps_per_second: number;
  failure: string;
  parting_step: number;   // -1: it did not part
  parting_frame: number;  // -1: or not in a frame that is shown
  num_frames: number;
  blocks: number[];
  typical_force: number;
}

export interface ComparisonInfo { parting_distance: number; judged_by: string; runs: RunInfo[] }

export interface Run { info: RunInfo; source: EmbeddedSource; distance: Float32Array }

// All runs as one source: its frames are those of the first run, and a frame is there when it is there of every run.
export class LinkedSource implements Source {
  private constructor(readonly info: ComparisonInfo, readonly runs: Run[]) {}

  static async open(): Promise<LinkedSource> {
    const info: ComparisonInfo = JSON.parse(textOf("comparison")), model = readModel();
    const surfaces = await readModelSurfaces(model);
    const runs = await Promise.all(info.runs.map(async (run, k) => ({
      info: run,
      source: await EmbeddedSource.openRun({ ...model, ...run }, surfaces, `run-${k}-`),
      distance: await readColumn(`run-${k}-distance`, run.num_frames),
    })));
    return new LinkedSource(info, runs);
  }

  get model(): ModelInfo { return this.runs[0].source.model; }
  get surfaces(): Surface[] { return this.runs[0].source.surfaces; }
  get steps(): StepColumns { return this.runs[0].source.steps; }
  get numFrames(): number { return this.runs[0].source.numFrames; }

  // A run that ended early stays at its last frame; -1: it has none.
  indexOf(run: number, index: number): number {
    return Math.min(index, this.runs[run].source.numFrames - 1);
  }

  private present(): number[] { return this.runs.map((_, k) => k).filter((k) => this.runs[k].source.numFrames > 0); }

  async frame(index: number): Promise<Frame> {
    await Promise.all(this.present().map((k) => this.runs[k].source.frame(this.indexOf(k, index))));
    return this.runs[0].source.frame(index);
  }

  frameNow(index: number): Frame | undefined {
    const all = this.present().map((k) => this.runs[k].source.frameNow(this.indexOf(k, index)));
    return all.includes(undefined) ? undefined : all[0];
  }

  // Of every run, after frame() or frameNow() gave one.
  framesNow(index: number): (Frame | undefined)[] {
    return this.runs.map(({ source }, k) => source.numFrames > 0 ? source.frameNow(this.indexOf(k, index)) : undefined);
  }

  prefetch(index: number): void {
    for (const k of this.present()) this.runs[k].source.prefetch(this.indexOf(k, index));
  }
}
