// Colours of the runs in their order, as in the picture of `stiction compare --png` (cli/compare_plot.cpp). The first is
// what the others are compared with.
import type { Theme } from "./theme";

const COLORS = ["#e5484d", "#f08a1d", "#2f7fe0", "#2f9e5b", "#7c5cd6", "#d6249f", "#0e9aa7", "#b08900", "#8b95a1"];

export function runColor(run: number, theme: Theme): string {
  if (run === 0) return theme === "dark" ? "#f4f7fa" : "#17202a";
  return COLORS[(run - 1) % COLORS.length];
}
