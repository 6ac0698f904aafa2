// The data of the page of two runs, as `kymo diff -o` wrote it (src/view/comparison/comparison_page.cpp).

export interface RunOverTime {
  side: string; // "before.kymo", "5 runs: before1.kymo …"
  runs: number;
  run: string; // the recording that is shown over time
  duration_ns: number;
  bins: number;
  itself: Rows;
  with_calls: Rows; // functions with all their callees; not those that are in nearly all of both runs, if there are others
}

export interface Rows {
  functions: string[];
  ns: number[][]; // [function][bin], processor time
}

export type RowKind = "itself" | "with_calls";

export interface Amounts {
  median: number;
  least: number;
  most: number;
}

export interface Change {
  kind: "whole" | "function" | "path" | "wait" | "event";
  name: string;
  shown: string;
  unit: "s" | "count";
  base: Amounts;
  new: Amounts;
  change: number;
  ratio: number | null;
  error: number;
  p: number | null;
  differs: boolean;
  file: string | null;
  line: number | null;
}

export interface FindingChange {
  kind: string;
  title: string;
  base: { share: number; runs: number };
  new: { share: number; runs: number };
}

// Means of a side's runs, ns.
export type PathRow = [parent: number, name: number, base: number, other: number, error: number];

export interface Data {
  base: RunOverTime;
  new: RunOverTime;
  clocks: { points: [number, number][]; distance: number; is_matched: boolean };
  names: string[];
  paths: PathRow[];
  comparison: {
    base_runs: number;
    new_runs: number;
    has_p: boolean;
    changes: Change[];
    findings: { new: FindingChange[]; changed: FindingChange[]; gone: FindingChange[] };
    warnings: string[];
  };
}

export function readData(): Data {
  const element = document.getElementById("kymo-data");
  if (!element) {
    throw new Error("the page holds no data");
  }
  return JSON.parse(element.textContent ?? "");
}

// The same time on the other clock. `from`: 0, the base's clock; 1, the new run's.
export function onOtherClock(points: [number, number][], from: 0 | 1, ns: number): number {
  const to = 1 - from;
  let at = 1;
  while (at < points.length - 1 && points[at][from] < ns) {
    at++;
  }
  const before = points[at - 1];
  const behind = points[at];
  const length = behind[from] - before[from];
  return before[to] + (length > 0 ? ((ns - before[from]) / length) * (behind[to] - before[to]) : 0);
}

// Processor time by function between two times of a run.
export function spent(run: RunOverTime, kind: RowKind, begin: number, end: number): Map<string, number> {
  const sums = new Map<string, number>();
  const bin = run.duration_ns / run.bins;
  run[kind].functions.forEach((name, row) => {
    let sum = 0;
    for (let i = Math.floor(begin / bin); i < run.bins && i * bin < end; i++) {
      const share = (Math.min(end, (i + 1) * bin) - Math.max(begin, i * bin)) / bin;
      sum += Math.max(0, share) * run[kind].ns[row][i];
    }
    if (sum > 0) {
      sums.set(name, sum);
    }
  });
  return sums;
}
