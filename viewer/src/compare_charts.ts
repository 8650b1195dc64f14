// All runs over time: distance from the first, residual by the common law, energy, penetration; one line per run.
import uPlot from "uplot";
import { runColor } from "./compare_colors";
import type { LinkedSource, Run } from "./compare_source";
import { number } from "./format";
import type { Theme } from "./theme";
import { decades, drawLimit, power, powers, tick } from "./timeline";

// `floor` makes the axis logarithmic: what is less is drawn there, zero too.
interface Chart { title: string; floor?: number; limit?: number; value: (run: Run, frame: number) => number }

function charts(source: LinkedSource): Chart[] {
  const { model, info } = source;
  return [
    { title: "distance from the first run, m", floor: 1e-9, limit: info.parting_distance, value: (run, i) => run.distance[i] },
    { title: "residual by the exact law", floor: 1e-16, limit: model.tolerance, value: ({ source: s }, i) => s.steps.eps_nat[i] },
    { title: "energy, J", value: ({ source: s }, i) => s.steps.kinetic_energy[i] + s.steps.potential_energy[i] },
    { title: "penetration, m", floor: 1e-12, value: ({ source: s }, i) => s.steps.largest_penetration[i] },
  ];
}

export class CompareCharts {
  private readonly plots: uPlot[] = [];
  private readonly cursors: HTMLElement[] = [];
  private readonly time: Float64Array;
  private theme: Theme = "light";
  private current = 0;

  constructor(private readonly element: HTMLElement, private readonly source: LinkedSource, private readonly seek: (index: number) => void) {
    this.time = source.steps.time as Float64Array;
    new ResizeObserver(() => this.resize()).observe(element);
  }

  // Colours of axes come from the style sheet, so a change of theme builds the charts again.
  setTheme(theme: Theme): void {
    this.theme = theme;
    for (const plot of this.plots) plot.destroy();
    this.plots.length = this.cursors.length = 0;
    this.element.replaceChildren();
    for (const chart of charts(this.source)) this.add(chart);
    this.resize();
  }

  private add(chart: Chart): void {
    const box = document.createElement("section"), head = document.createElement("h3");
    head.textContent = chart.title;
    box.append(head);
    this.element.append(box);
    const plot = new uPlot(this.options(chart), this.data(chart), box);
    const cursor = document.createElement("div");
    cursor.className = "now";
    plot.over.append(cursor);
    const go = (event: PointerEvent) => this.seek(plot.posToIdx(event.clientX - plot.over.getBoundingClientRect().left));
    plot.over.addEventListener("pointerdown", (event) => {
      plot.over.setPointerCapture(event.pointerId);
      go(event);
    });
    plot.over.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
    this.plots.push(plot);
    this.cursors.push(cursor);
  }

  private data(chart: Chart): uPlot.AlignedData {
    const { floor } = chart;
    return [this.time, ...this.source.runs.map((run) => Array.from(this.time, (_, i) => {
      const value = i < run.source.numFrames ? chart.value(run, i) : NaN;
      return !Number.isFinite(value) ? null : floor ? Math.max(value, floor) : value;
    }))] as uPlot.AlignedData;
  }

  private options(chart: Chart): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const axis = { stroke: style.getPropertyValue("--faint"), grid: { stroke: style.getPropertyValue("--grid"), width: 1 },
      ticks: { show: false }, font: "10px system-ui, sans-serif" };
    return {
      width: 200, height: 90, legend: { show: false }, padding: [4, 6, 0, 0],
      cursor: { drag: { setScale: false, x: false, y: false }, points: { show: false }, y: false, sync: { key: "stiction" } },
      scales: { x: { time: false }, y: chart.floor ? { distr: 3, range: (_, low, high) => decades(low, high) } : {} },
      axes: [
        { ...axis, size: 18, gap: 2, values: (_, ticks) => ticks.map((t) => number(t, 6).replace(/\.?0+$/, "")) },
        {
          ...axis, size: 40, gap: 2, space: 22, values: (_, ticks) => ticks.map((t) => chart.floor ? power(t) : tick(t)),
          ...(chart.floor ? { splits: (_: uPlot, __: number, min: number, max: number) => powers(min, max), filter: (_: uPlot, all: number[]) => all } : {}),
        },
      ],
      series: [{}, ...this.source.runs.map((_, k) => ({ stroke: runColor(k, this.theme), width: k === 0 ? 2 : 1.4, points: { show: false }, spanGaps: false }))],
      hooks: { draw: [(plot) => this.drawPartings(plot), (plot) => drawLimit(plot, chart.limit, style.getPropertyValue("--faint"))] },
    };
  }

  // A mark on the time axis where each run parts, in its colour.
  private drawPartings(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    this.source.runs.forEach(({ info }, k) => {
      if (info.parting_frame < 0) return;
      const x = Math.round(plot.valToPos(this.time[info.parting_frame], "x", true)), size = 4 * devicePixelRatio;
      ctx.fillStyle = runColor(k, this.theme);
      ctx.beginPath();
      ctx.moveTo(x - size, bbox.top + bbox.height);
      ctx.lineTo(x + size, bbox.top + bbox.height);
      ctx.lineTo(x, bbox.top + bbox.height - 2 * size);
      ctx.fill();
    });
    ctx.restore();
  }

  private resize(): void {
    for (const plot of this.plots) {
      const box = plot.root.parentElement!, head = box.firstElementChild as HTMLElement;
      const width = box.clientWidth, height = box.clientHeight - head.offsetHeight;
      if (width > 20 && height > 20 && (plot.width !== width || plot.height !== height)) plot.setSize({ width, height });
    }
    this.show(this.current);
  }

  show(index: number): void {
    this.current = index;
    this.plots.forEach((plot, k) => {
      this.cursors[k].style.transform = `translateX(${plot.valToPos(this.time[index], "x")}px)`;
    });
  }
}
