// Occurrences of code spaces in time, with the measurements over each (docs/page-data.md, blob "occurrences").
import { median as middle } from "d3-array";
import { withoutArguments } from "../format";
import { DataBlob, hasBlob } from "./blob";
import { HeavyData, readHeavy } from "./heavy";
import { Model } from "./model";
import { SpaceTree } from "./spaces";

export const kTerms = ["computing", "kernel", "ready, no processor", "waiting", "off, not known why", "spinning"];

export interface SpaceInfo {
  label: string;
  caller: string; // distinguishes it from others of its name; empty: none is needed
  kind: string;
  call: number; // node of the call tree
  parent: number; // −1: none
  occurrences: number; // all of them; those kept may be fewer
  folded: boolean;
  period: number | null; // ns
  gap: number | null; // median, ns
  structure: number;
}

export interface Pattern {
  before: number;
  node: number;
  after: number;
  count: number;
  total: number; // ns
  longest: number;
  events: number[]; // of all its occurrences together, by OccurrenceData.eventNames
}

export interface OccurrenceData {
  spaces: SpaceInfo[];
  patterns: Pattern[];
  first: Uint32Array;
  thread: Uint32Array;
  begin: Float64Array;
  length: Float64Array;
  terms: Float64Array[];
  events: Float64Array[];
  eventNames: string[];
  before: Uint32Array; // space + 1; 0: see neighbour()
  after: Uint32Array;
  processor: Uint32Array;
  migrations: Uint32Array;
  order: Uint32Array;
  heavy: HeavyData;
}

// Of one space.
export interface KeptOccurrences {
  space: number;
  info: SpaceInfo;
  rows: [number, number]; // of OccurrenceData
  thread: Uint32Array;
  begin: Float64Array;
  end: Float64Array;
  threshold: number; // ns: slower ones are slow
  slow: Uint8Array;
}

let data: OccurrenceData | null = null;
let opening: Promise<void> | null = null;
let chosenSpace = -1; // among those on one call path: function, loops, rounds
const thresholds = new Map<number, number>();

export function occurrenceData(): OccurrenceData | null {
  return data;
}

export function chooseSpace(space: number) {
  chosenSpace = space;
}

export function setThreshold(space: number, ns: number) {
  thresholds.set(space, ns);
}

export async function openOccurrences(): Promise<void> {
  if (!hasBlob("occurrences")) {
    return;
  }
  opening ??= DataBlob.open("occurrences").then((blob) => {
    const names: string[] = blob.json.counters;
    data = {
      spaces: blob.json.spaces.map((space: SpaceInfo) => ({
        ...space,
        label:
          (space.kind === "function" ? withoutArguments(space.label) : space.label.replace(/\(anonymous namespace\)::/g, "")) +
          (space.caller ? ` (by ${withoutArguments(space.caller)})` : ""),
      })),
      patterns: blob.json.patterns,
      first: Uint32Array.from(blob.f64("first")),
      thread: blob.u32("thread"),
      begin: blob.f64("begin"),
      length: blob.f64("length"),
      terms: kTerms.map((_, term) => blob.f64(`term.${term}`)),
      events: names.map((_, event) => blob.f64(`event.${event}`)),
      eventNames: names,
      before: blob.u32("before"),
      after: blob.u32("after"),
      processor: blob.u32("processor"),
      migrations: blob.u32("migrations"),
      order: blob.u32("order"),
      heavy: readHeavy(blob),
    };
  });
  await opening;
}

// Durations beyond which an occurrence is slow: if they form two groups the gap between them, else the upper tail
// beyond the median and five robust deviations. Of logarithms: times spread by factors.
export function slowBeyond(lengths: number[]): number {
  const logs = lengths.map((ns) => Math.log(Math.max(ns, 1))).sort((a, b) => a - b);
  if (logs.length < 4) {
    return Infinity;
  }
  const centre = middle(logs)!;
  const spread = middle(logs.map((value) => Math.abs(value - centre)))! * 1.4826;
  let best = 0;
  let second = 0;
  let at = -1;
  for (let i = Math.floor(logs.length / 2) - 1; i + 1 < logs.length; i++) {
    const gap = logs[i + 1] - logs[i];
    if (gap > best) {
      second = best;
      best = gap;
      at = i;
    } else {
      second = Math.max(second, gap);
    }
  }
  if (at >= 0 && best > Math.max(2.5 * second, 0.25)) {
    return Math.exp((logs[at] + logs[at + 1]) / 2);
  }
  return Math.exp(centre + Math.max(5 * spread, 0.1));
}

// Spaces on the call path of a tree node: the function, its loops, their rounds; or the nearest around it.
export function spacesAt(model: Model, tree: SpaceTree, node: number): number[] {
  if (!data || tree.order !== "path") {
    return [];
  }
  for (let call = tree.callNode[node]; call > 0; call = model.nodeParent[call]) {
    const found = data.spaces.flatMap((space, index) => (space.call === call ? [index] : []));
    if (found.length) {
      return found;
    }
  }
  return [];
}

export function readOccurrences(model: Model, selected: { node: number } | null, tree: SpaceTree): KeptOccurrences | null {
  if (!data || !selected) {
    return null;
  }
  const here = spacesAt(model, tree, selected.node);
  if (!here.length) {
    return null;
  }
  const space = here.includes(chosenSpace) ? chosenSpace : here[0];
  const [from, to] = [data.first[space], data.first[space + 1]];
  const begin = data.begin.slice(from, to);
  const length = data.length.subarray(from, to);
  const threshold = thresholds.get(space) ?? slowBeyond([...length]);
  return {
    space,
    info: data.spaces[space],
    rows: [from, to],
    thread: data.thread.slice(from, to),
    begin,
    end: begin.map((time, i) => time + length[i]),
    threshold,
    slow: Uint8Array.from(length, (ns) => (ns > threshold ? 1 : 0)),
  };
}

// A neighbour's name; numbers below 4 are not spaces.
export function neighbour(code: number): string {
  return (
    ["the thread's begin or end", "elsewhere", "the caller itself", "anything"][code] ?? data?.spaces[code - 4]?.label ?? "?"
  );
}

// How often a value of `a` exceeds one of `b`, less the opposite: −1 … 1 (Cliff 1993).
export function cliffsDelta(a: number[], b: number[]): number {
  if (!a.length || !b.length) {
    return NaN;
  }
  const sorted = b.slice().sort((x, y) => x - y);
  const below = (value: number, orEqual: boolean) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const at = (low + high) >> 1;
      if (sorted[at] < value || (orEqual && sorted[at] === value)) {
        low = at + 1;
      } else {
        high = at;
      }
    }
    return low;
  };
  let sum = 0;
  for (const value of a) {
    sum += below(value, false) - (sorted.length - below(value, true));
  }
  return sum / (a.length * b.length);
}
