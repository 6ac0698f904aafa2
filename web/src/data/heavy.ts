// Heavy code: groups of same spaces with their lives in time (docs/page-data.md, `heavy` of the blob "occurrences").
import { compact, count, duration, shortName } from "../format";
import { DataBlob } from "./blob";

export interface HeavyCode {
  name: string;
  lines: string; // "file.cpp:12–14"; empty: not known
  uncertain: boolean;
  weight: number; // shares
  share: number; // of user time
  low: number | null; // its 95 % interval; null: of several spaces
  high: number | null;
  stall: number;
  pairs: number;
}

export interface HeavyGap {
  thread: number;
  begin: number;
  length: number;
  ready: number; // ns without a processor
  filled: [number | null, number][]; // group (null: elsewhere) and ns, most first
  waits: [string, number][];
  events: number[]; // by counter
}

export interface HeavyGroup extends HeavyCode {
  around: { name: string; lines: string } | null; // the program's own function, if the code is a library's
  overlap: number; // least of any two members
  members: HeavyCode[]; // empty: there is none like it
  rates: [number | null, number | null][]; // here and elsewhere, by HeavyData.events
  space: number; // of OccurrenceData.spaces; −1: none
  times: number; // occurrences
  folded: boolean;
  median: number;
  longest: number;
  gap_count: number;
  gap: number; // median
  gap_events: number[]; // over all gaps, by counter
  gaps: HeavyGap[]; // longest first
}

export interface HeavyData {
  unit: string; // of rates
  events: string[];
  order: number[]; // of groups: heaviest first, of equal weight the program's own first
  groups: HeavyGroup[];
  first: Uint32Array; // kept occurrences, by group
  begin: Float64Array;
  length: Float64Array;
  thread: Uint32Array;
}

export function readHeavy(blob: DataBlob): HeavyData {
  const { unit, events, order, groups } = blob.json.heavy;
  return {
    unit,
    events,
    order,
    groups,
    first: Uint32Array.from(blob.f64("heavy.first")),
    begin: blob.f64("heavy.begin"),
    length: blob.f64("heavy.length"),
    thread: blob.u32("heavy.thread"),
  };
}

// "fem.cpp:88–92  assemble": the lines first, which distinguish places in one function; of a library's code first the
// program's own function around it.
export function heavyName(code: HeavyCode, around: HeavyGroup["around"] = null): string {
  const words = (place: { name: string; lines: string }) =>
    place.lines ? `${place.lines}  ${shortName(place.name)}` : shortName(place.name);
  return (around ? `${words(around)} › ` : "") + words(code) + (code.uncertain ? "  (uncertain)" : "");
}

// "filled by assemble 3 ms, elsewhere 1 ms; waited for a lock 2 ms".
export function gapWords(data: HeavyData, gap: HeavyGap): string {
  const part = ([group, ns]: [number | null, number]) => {
    const of = group === null ? null : data.groups[group];
    return `${of ? heavyName(of, of.around) : "elsewhere"} ${duration(ns)}`;
  };
  const most = (parts: string[]) => parts.slice(0, 3).join(", ");
  const words = [];
  if (gap.filled.length) {
    words.push(`filled by ${most(gap.filled.map(part))}`);
  }
  if (gap.waits.length) {
    words.push(`waited for ${most(gap.waits.map(([what, ns]) => `${what} ${duration(ns)}`))}`);
  }
  if (gap.ready * 20 >= gap.length) {
    words.push(`ready without a processor ${duration(gap.ready)}`);
  }
  return words.join("; ");
}

// "page-faults 30 (mean gap 16)", of the counters with a rate.
export function gapEvents(data: HeavyData, of: HeavyGroup, gap: HeavyGap, counters: string[]): string[] {
  return counters.flatMap((name, event) => {
    const mean = (of.gap_events[event] ?? 0) / Math.max(of.gap_count, 1);
    return data.events.includes(name) && (gap.events[event] || mean >= 0.5)
      ? [`${name} ${count(gap.events[event] ?? 0)} (mean gap ${compact(mean)})`]
      : [];
  });
}

const kLittle = 0.01; // rates far below it are alike

// The event whose rate here is furthest from that elsewhere; −1: none is known.
export function tellingEvent(group: HeavyGroup): number {
  let best = -1;
  let most = 0;
  group.rates.forEach(([here, elsewhere], event) => {
    if (here !== null && elsewhere !== null && here + elsewhere > 0) {
      const apart = Math.abs(Math.log((here + kLittle) / (elsewhere + kLittle)));
      if (best < 0 || apart > most) {
        best = event;
        most = apart;
      }
    }
  });
  return best;
}

// Events a unit of what they are counted by; null: not known.
export function rate(value: number | null): string {
  return value === null ? "–" : value === 0 ? "0" : value < 0.01 ? value.toPrecision(2) : compact(value);
}

// All events of one group: "page-faults 0.67, elsewhere 0.5".
export function rateWords(group: HeavyGroup, data: HeavyData): string[] {
  return data.events.map(
    (name, event) => `${name} ${rate(group.rates[event][0])} ${data.unit}, elsewhere ${rate(group.rates[event][1])}`,
  );
}
