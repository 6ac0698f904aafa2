// Call paths of a region: sums by call node, by function, by caller and callee, by line.
import { compact, duration } from "../format";
import { Model, State } from "./model";
import { LeafTimes } from "./spaces";

export type TimeMetric = "processor" | "wall" | "waiting";
export type Metric = TimeMetric | number; // number: a counted event

const kStatesOf: Record<TimeMetric, number[]> = {
  processor: [State.User, State.System, State.Spinning],
  wall: [State.User, State.System, State.Spinning, State.Ready, State.Waiting, State.Off],
  waiting: [State.Ready, State.Waiting, State.Off],
};

const kMetricWords: Record<TimeMetric, string> = {
  processor: "processor time",
  wall: "thread time, waiting included",
  waiting: "time off the processor",
};

export function metricWords(model: Model, metric: Metric): string {
  return typeof metric === "number" ? model.events[metric] : kMetricWords[metric];
}

export function metricValue(metric: Metric, value: number): string {
  return typeof metric === "number" ? compact(Math.round(value)) : duration(value);
}

export function isCounted(state: number, metric: Metric): boolean {
  return typeof metric === "number" || kStatesOf[metric].includes(state);
}

export function leafValues(times: LeafTimes, metric: Metric): Float64Array {
  if (typeof metric === "number") {
    return times.events[metric];
  }
  const out = new Float64Array(times.byState.length / 8);
  for (let leaf = 0; leaf < out.length; leaf++) {
    for (const state of kStatesOf[metric]) {
      out[leaf] += times.byState[leaf * 8 + state];
    }
  }
  return out;
}

export interface NodeSums {
  self: Float64Array;
  total: Float64Array;
}

export function nodeSums(model: Model, values: Float64Array): NodeSums {
  const self = new Float64Array(model.nodeParent.length);
  for (let leaf = 0; leaf < values.length; leaf++) {
    self[model.leafNode[leaf]] += values[leaf];
  }
  const total = self.slice();
  for (let node = total.length - 1; node > 0; node--) {
    total[model.nodeParent[node]] += total[node];
  }
  return { self, total };
}

export interface FunctionRow {
  fn: number;
  self: number;
  total: number; // a path is counted once, however often the function recurs on it
}

// Nodes under which their own function occurs above as well: their total is inside the upper one's.
function recurs(model: Model): Uint8Array {
  const out = new Uint8Array(model.nodeParent.length);
  for (let node = 1; node < out.length; node++) {
    const fn = model.nodeFunction[node];
    for (let at = model.nodeParent[node]; at > 0; at = model.nodeParent[at]) {
      if (model.nodeFunction[at] === fn) {
        out[node] = 1;
        break;
      }
    }
  }
  return out;
}

const recursion = new WeakMap<Model, Uint8Array>();

export function isInner(model: Model): Uint8Array {
  let known = recursion.get(model);
  if (!known) {
    recursion.set(model, (known = recurs(model)));
  }
  return known;
}

export function functionRows(model: Model, sums: NodeSums): FunctionRow[] {
  const rows = new Map<number, FunctionRow>();
  const inner = isInner(model);
  for (let node = 1; node < sums.self.length; node++) {
    if (sums.total[node] <= 0) {
      continue;
    }
    const fn = model.nodeFunction[node];
    let row = rows.get(fn);
    if (!row) {
      rows.set(fn, (row = { fn, self: 0, total: 0 }));
    }
    row.self += sums.self[node];
    row.total += inner[node] ? 0 : sums.total[node];
  }
  return [...rows.values()].sort((a, b) => b.self - a.self || b.total - a.total);
}

export interface Neighbour {
  fn: number;
  total: number;
}

export function callersAndCallees(model: Model, sums: NodeSums, fn: number): { callers: Neighbour[]; callees: Neighbour[] } {
  const callers = new Map<number, number>();
  const callees = new Map<number, number>();
  const inner = isInner(model);
  for (let node = 1; node < sums.self.length; node++) {
    const parent = model.nodeParent[node];
    if (model.nodeFunction[node] === fn && !inner[node]) {
      callers.set(model.nodeFunction[parent], (callers.get(model.nodeFunction[parent]) ?? 0) + sums.total[node]);
    }
    if (parent && model.nodeFunction[parent] === fn) {
      callees.set(model.nodeFunction[node], (callees.get(model.nodeFunction[node]) ?? 0) + sums.total[node]);
    }
  }
  const list = (map: Map<number, number>) =>
    [...map]
      .map(([of, total]) => ({ fn: of, total }))
      .filter((row) => row.total > 0)
      .sort((a, b) => b.total - a.total);
  return { callers: list(callers), callees: list(callees) };
}

// Costs of libraries that own code called, by its lines. Within a leaf that is below several lines, as in the whole run.
export function libraryLines(model: Model, values: Float64Array, fn: number): Map<number, number> {
  const lines = new Map<number, number>();
  const { leaf, line, share } = model.own;
  leaf.forEach((of, row) => {
    if (model.lineFunction[line[row]] === fn && values[of] > 0) {
      const number = model.lineNumber[line[row]];
      lines.set(number, (lines.get(number) ?? 0) + values[of] * share[row]);
    }
  });
  return lines;
}

// By line of a function's own code: number → value.
export function lineSums(model: Model, values: Float64Array, fn: number): Map<number, number> {
  const lines = new Map<number, number>();
  for (let leaf = 0; leaf < values.length; leaf++) {
    const line = model.leafLine[leaf];
    if (line && model.lineFunction[line] === fn && values[leaf] > 0) {
      lines.set(model.lineNumber[line], (lines.get(model.lineNumber[line]) ?? 0) + values[leaf]);
    }
  }
  return lines;
}
