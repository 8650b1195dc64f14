// What happened over time: five charts with one time axis, and the strip of certified steps.
import uPlot from "uplot";
import { number } from "./format";
import { isCertified, type Source } from "./source";
import { BAD_COLOR, REGIME_COLORS } from "./theme";

interface Series { label: string; column: string; color: string; dash?: number[] }
// `floor` makes the axis logarithmic: what is less is drawn there, zero too.
interface Chart { title: string; unit: string; floor?: number; series: Series[]; limit?: number }

function charts(source: Source): Chart[] {
  const { model } = source;
  return [
    { title: "residual", unit: "", floor: 1e-16, limit: model.tolerance, series: [{ label: "ε", column: "eps_nat", color: "#7c5cd6" }] },
    {
      title: "geometry", unit: "m", floor: 1e-12, limit: model.geometric_tolerance,
      series: [
        { label: "unforeseen", column: "unforeseen_penetration", color: "#0e9aa7" },
        { label: "gaps off by", column: "largest_gap_error", color: "#b08900" },
      ],
    },
    {
      title: "energy", unit: "J",
      series: [
        { label: "kinetic", column: "kinetic_energy", color: "#d6249f" },
        { label: "potential", column: "potential_energy", color: "#2f9e5b" },
        { label: "dissipated", column: "dissipated_so_far", color: "#f08a1d" },
      ],
    },
    {
      title: "contacts", unit: "",
      series: [
        { label: "sticking", column: "num_sticking", color: REGIME_COLORS[1] },
        { label: "sliding", column: "num_sliding", color: REGIME_COLORS[2] },
        { label: "open", column: "num_open", color: REGIME_COLORS[0] },
      ],
    },
    { title: "penetration", unit: "m", floor: 1e-12, series: [{ label: "deepest", column: "largest_penetration", color: "#c2410c" }] },
  ];
}

export class Timeline {
  private readonly plots: uPlot[] = [];
  private readonly cursors: HTMLElement[] = [];
  private readonly values: HTMLElement[][] = [];
  private readonly definitions: Chart[];
  private time: Float64Array;
  private current = 0;
  private zoomed = false;

  constructor(private readonly element: HTMLElement, private readonly source: Source, private readonly seek: (index: number) => void) {
    this.definitions = charts(source);
    this.time = source.steps.time as Float64Array;
    this.build();
    new ResizeObserver(() => this.resize()).observe(element);
  }

  // Colours of axes come from the style sheet, so a change of theme builds the charts again.
  build(): void {
    for (const plot of this.plots) plot.destroy();
    this.plots.length = this.cursors.length = this.values.length = 0;
    this.element.replaceChildren();
    for (const chart of this.definitions) this.add(chart);
    this.resize();
    this.show(this.current);
  }

  private add(chart: Chart): void {
    const box = document.createElement("section");
    const head = document.createElement("h3");
    head.textContent = chart.unit ? `${chart.title}, ${chart.unit}` : chart.title;
    const legend = document.createElement("div");
    const values = chart.series.map((series) => {
      const item = document.createElement("span");
      item.innerHTML = `<i style="background:${series.color}"></i>${chart.series.length > 1 ? series.label : ""} `;
      const value = document.createElement("b");
      item.append(value);
      legend.append(item);
      return value;
    });
    head.append(legend);
    box.append(head);
    this.element.append(box);
    const plot = new uPlot(this.options(chart), this.data(chart), box);
    const cursor = document.createElement("div");
    cursor.className = "now";
    plot.over.append(cursor);
    this.scrub(plot);
    this.plots.push(plot);
    this.cursors.push(cursor);
    this.values.push(values);
  }

  private data(chart: Chart): uPlot.AlignedData {
    return [this.time, ...chart.series.map(({ column }) => {
      const values = this.source.steps[column], { floor } = chart;
      return floor ? Float64Array.from(values, (v) => Number.isFinite(v) ? Math.max(v, floor) : NaN) : values;
    })] as unknown as uPlot.AlignedData;
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
      series: [{}, ...chart.series.map(({ color, dash }) => ({ stroke: color, width: 1.4, dash, points: { show: false }, spanGaps: false }))],
      hooks: { drawClear: [(plot) => this.drawUncertified(plot)], draw: [(plot) => drawLimit(plot, chart.limit, style.getPropertyValue("--faint"))] },
    };
  }

  // Steps that are not certified are red behind the lines, at least a pixel wide.
  private drawUncertified(plot: uPlot): void {
    const { ctx, bbox } = plot, { steps } = this.source;
    ctx.save();
    ctx.fillStyle = `${BAD_COLOR}3d`;
    let last = -1;
    const [from, to] = [plot.scales.x.min ?? 0, plot.scales.x.max ?? 1];
    for (let i = 0; i < this.time.length; ++i) {
      if (this.time[i] < from || this.time[i] > to || isCertified(steps, i)) continue;
      const x = Math.round(plot.valToPos(this.time[i], "x", true));
      if (x === last) continue;
      ctx.fillRect(x, bbox.top, Math.max(1, devicePixelRatio), bbox.height);
      last = x;
    }
    ctx.restore();
  }

  // Dragging moves through time, the wheel changes how much of it is shown, a double click shows all.
  private scrub(plot: uPlot): void {
    const { over } = plot;
    const go = (event: PointerEvent) => this.seek(plot.posToIdx(event.clientX - over.getBoundingClientRect().left));
    over.addEventListener("pointerdown", (event) => {
      over.setPointerCapture(event.pointerId);
      go(event);
    });
    over.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
    over.addEventListener("dblclick", () => {
      this.zoom(this.time[0], this.time[this.time.length - 1]);
      this.zoomed = false;
    });
    over.addEventListener("wheel", (event) => {
      event.preventDefault();
      const centre = plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
      const factor = Math.exp(0.0015 * event.deltaY), { min, max } = plot.scales.x;
      this.zoom(Math.max(this.time[0], centre - (centre - min!) * factor),
        Math.min(this.time[this.time.length - 1], centre + (max! - centre) * factor));
    }, { passive: false });
  }

  private zoom(min: number, max: number): void {
    if (!(max > min)) return;
    this.zoomed = true;
    for (const plot of this.plots) plot.setScale("x", { min, max });
    this.show(this.current);
  }

  private resize(): void {
    this.plots.forEach((plot) => {
      const box = plot.root.parentElement!, head = box.firstElementChild as HTMLElement;
      const width = box.clientWidth, height = box.clientHeight - head.offsetHeight;
      if (width > 20 && height > 20 && (plot.width !== width || plot.height !== height)) plot.setSize({ width, height });
    });
    this.show(this.current);
  }

  // The source has more steps than before, or others.
  refresh(): void {
    this.time = this.source.steps.time as Float64Array;
    this.plots.forEach((plot, k) => plot.setData(this.data(this.definitions[k]), !this.zoomed));
    this.show(this.current);
  }

  show(index: number): void {
    this.current = index;
    this.plots.forEach((plot, k) => {
      const x = plot.valToPos(this.source.steps.time[index], "x");
      this.cursors[k].style.transform = `translateX(${x}px)`;
      this.cursors[k].hidden = !(x >= 0 && x <= plot.over.clientWidth + 1);
      this.definitions[k].series.forEach(({ column }, s) => {
        this.values[k][s].textContent = number(this.source.steps[column][index], 3);
      });
    });
  }
}

export function decades(low: number | null, high: number | null): [number, number] {
  const from = Math.floor(Math.log10(low ?? 1e-16)), to = Math.ceil(Math.log10(high ?? 1));
  return [10 ** from, 10 ** Math.max(to, from + 1)];
}

export function tick(value: number): string {
  return number(value, 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

// Powers of ten, every second, third … where there are many.
export function powers(min: number, max: number): number[] {
  const from = Math.round(Math.log10(min)), to = Math.round(Math.log10(max));
  const between = Math.max(1, Math.ceil((to - from) / 4)), found: number[] = [];
  for (let k = Math.ceil(from / between) * between; k <= to; k += between) found.push(10 ** k);
  return found;
}

export function power(value: number): string {
  return `1e${Math.round(Math.log10(value))}`.replace("-", "−");
}

export function drawLimit(plot: uPlot, limit: number | undefined, color: string): void {
  const { min, max } = plot.scales.y;
  if (limit === undefined || min === undefined || max === undefined || limit < min || limit > max) return;
  const { ctx, bbox } = plot, y = plot.valToPos(limit, "y", true);
  ctx.save();
  ctx.strokeStyle = color;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}
