// Colours: of regimes, the same in light and dark and told apart by the colour-blind; of the scene, by theme.

export const REGIME_COLORS = ["#8b95a1", "#2f7fe0", "#f08a1d"];  // open, sticking, sliding
export const WORST_COLOR = "#d6249f";
export const BAD_COLOR = "#e5484d";

export type Theme = "light" | "dark";

export interface SceneColors { sky: string; ground: string; line: string; arrow: string; selection: string; fill: number; sun: number }

export const SCENE_COLORS: Record<Theme, SceneColors> = {
  light: { sky: "#e9edf2", ground: "#d3d9e0", line: "#b3bcc7", arrow: "#1b2733", selection: "#0b5fd0", fill: 2.3, sun: 2.0 },
  dark: { sky: "#12161c", ground: "#2a313b", line: "#3d4753", arrow: "#f4f7fa", selection: "#6cb2ff", fill: 1.5, sun: 1.8 },
};

// Bodies whose file gives them no colours of their own.
export const BODY_COLORS = ["#d99a5b", "#6fa8c9", "#8fbf7f", "#c98a9f", "#b7a56a", "#8f94cf", "#c97f6a", "#6fb8a8"];

export function systemTheme(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
