// Colours. The states' are the five of the IBM design library that people with any kind of colour vision distinguish, one
// darkened so that waiting stays behind computing; rates use cividis, which is made for that.
import { interpolateCividis } from "d3-scale-chromatic";

export type Colour = [number, number, number];

export interface Palette {
  dark: boolean;
  ground: Colour;
  ink: string;
  faint: string; // text of less weight
  grid: string;
  mark: string; // brush, selection
  alarm: string; // slow ones, findings
  structure: Colour; // rows that hold other rows
  event: Colour; // counts over time
  channels: Colour[]; // user, system, spinning, ready, waiting, other
  rate: Colour[]; // 256 steps, low to high
  areas: Record<string, Colour>; // of the address map, by kind
}

export const kAreaKinds = ["code", "file", "heap", "stack", "anonymous", "shared", "kernel"];

export const kChannelNames = ["user", "system", "spinning", "ready", "waiting", "other"];
// The meaning of each, beside its name if there is room.
export const kChannelWords = [
  "computes",
  "in the kernel",
  "computes in a wait",
  "in the run queue",
  "for others, or for time",
  "off the processor, not known why",
];
export const kChannelTitles = [
  "computing in the program",
  "in the kernel",
  "spinning: user time inside a wait",
  "ready, but another had the processor",
  "waiting",
  "off the processor, not known why",
];

function colour(text: string): Colour {
  if (text.startsWith("#")) {
    const bits = parseInt(text.slice(1), 16);
    return [bits >> 16, (bits >> 8) & 255, bits & 255];
  }
  const [r, g, b] = text.match(/\d+/g)!.map(Number);
  return [r, g, b];
}

const rate: Colour[] = Array.from({ length: 256 }, (_, i) => colour(interpolateCividis(0.15 + (0.85 * i) / 255)));

// Okabe and Ito's, which are distinct for every kind of colour vision.
function areaColours(...texts: string[]): Record<string, Colour> {
  return Object.fromEntries(kAreaKinds.map((kind, at) => [kind, colour(texts[at])]));
}

const kDark: Palette = {
  dark: true,
  ground: colour("#12151c"),
  ink: "#e6e9ef",
  faint: "#8f98a8",
  grid: "#262c38",
  mark: "#ffffff",
  alarm: "#ff5c8a",
  structure: colour("#6b7a94"),
  event: colour("#6fb3bf"),
  channels: ["#ffb000", "#fe6100", "#dc267f", "#9a7dff", "#3b6fe0", "#4a5161"].map(colour),
  rate,
  areas: areaColours("#56b4e9", "#cc79a7", "#e69f00", "#f0e442", "#009e73", "#d55e00", "#8f98a8"),
};

const kLight: Palette = {
  dark: false,
  ground: colour("#ffffff"),
  ink: "#1b2230",
  faint: "#5b6475",
  grid: "#e4e7ee",
  mark: "#101828",
  alarm: "#c2185b",
  structure: colour("#8593ad"),
  event: colour("#3f8590"),
  channels: ["#e08a00", "#d9480f", "#c2185b", "#7048e8", "#6a9bf7", "#c3c9d4"].map(colour),
  rate: rate.slice().reverse(),
  areas: areaColours("#0072b2", "#cc79a7", "#e69f00", "#b8a800", "#009e73", "#d55e00", "#8f98a8"),
};

// By choice: any two of these are distinct for normal, deutan and protan colour vision (tests/page holds the distances).
const kDarkApart: Palette = {
  ...kDark,
  alarm: "#f0813a",
  channels: ["#ffd23f", "#b84a00", "#ffffff", "#c0a5ff", "#2255cc", "#565d6b"].map(colour),
};
const kLightApart: Palette = {
  ...kLight,
  alarm: "#b34700",
  channels: ["#e69f00", "#d55e00", "#000000", "#9b7fe6", "#a8cdf5", "#c9ccd2"].map(colour),
};

export function palette(theme: string, isApart = false): Palette {
  const dark = theme ? theme === "dark" : !matchMedia("(prefers-color-scheme: light)").matches;
  return isApart ? (dark ? kDarkApart : kLightApart) : dark ? kDark : kLight;
}

export function css([r, g, b]: Colour, alpha = 1): string {
  return `rgba(${r | 0},${g | 0},${b | 0},${alpha})`;
}

// Behind text: `share` of the strongest. Never so strong that ink on it has a contrast below 4.5.
export function heat(of: Colour, share: number): string {
  return css(of, 0.08 + 0.34 * share);
}

function hashOf(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) {
    hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

function fromHsl(hue: number, saturation: number, light: number): Colour {
  const part = (n: number) => {
    const k = (n + hue / 30) % 12;
    return 255 * (light - saturation * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return [part(0), part(8), part(4)];
}

// A colour of its own for a function, the same in every page.
export function nameColour(name: string, dark: boolean): Colour {
  const hash = hashOf(name);
  return fromHsl(hash % 360, 0.45, (dark ? 0.58 : 0.62) + ((hash >>> 9) % 5) * 0.02);
}

// In flame graphs: the program's own code warm, libraries cool, waiting blue; names differ in shade.
export function frameColour(name: string, of: "own" | "library" | "waiting", dark: boolean): Colour {
  const hash = hashOf(name);
  const shade = ((hash >>> 9) % 8) * 0.013;
  switch (of) {
    case "own":
      return fromHsl(24 + (hash % 24), dark ? 0.72 : 0.8, (dark ? 0.56 : 0.64) + shade);
    case "library":
      return fromHsl(196 + (hash % 30), 0.22, (dark ? 0.58 : 0.7) + shade);
    case "waiting":
      return fromHsl(212 + (hash % 18), 0.6, (dark ? 0.6 : 0.7) + shade);
  }
}
