// Sums over a region of time and threads, and the same distributed over pixel columns.
import { Level, firstAfter } from "./level";
import { Model } from "./model";
import { LeafTimes } from "./spaces";

export function emptyTimes(model: Model): LeafTimes {
  return {
    byState: new Float64Array(model.leafNode.length * 8),
    events: model.events.map(() => new Float64Array(model.leafNode.length)),
  };
}

// The time of these threads from `from` to `to`, by leaf and state. Bins that are partly inside count partly.
export function sumTimes(model: Model, level: Level, from: number, to: number, threads: number[]): LeafTimes {
  const out = emptyTimes(model);
  for (const thread of threads) {
    const last = level.first[thread + 1];
    for (let i = firstAfter(level, thread, from); i < last && level.begin[i] < to; i++) {
      const begin = level.begin[i];
      const length = level.length ? level.length[i] : level.width;
      const inside = Math.min(to, begin + length) - Math.max(from, begin);
      const part = inside >= length ? 1 : inside / length;
      out.byState[level.leaf[i] * 8 + level.state[i]] += level.ns[i] * part;
      for (let event = 0; event < out.events.length; event++) {
        out.events[event][level.leaf[i]] += level.events[event][i] * part;
      }
    }
  }
  return out;
}

// The channel of each state; the order of kChannels.
export const kChannelOf = [0, 1, 3, 4, 5, 5, 2, 5];
export const kChannels = 6; // user, system, spinning, ready, waiting, other

export interface Raster {
  rows: number;
  columns: number;
  values: Float32Array; // (row × columns + column) × kChannels + channel: ns
  event: Float32Array | null; // row × columns + column
}

export interface RasterRequest {
  level: Level;
  from: number;
  to: number;
  columns: number;
  rows: number;
  threads: number[];
  event: number; // of the counted ones; −1: none
}

// Adds every cell in view to the pixels it covers. `rowOf` gives its row, negative: left out.
export function raster(request: RasterRequest, into: Raster | null, rowOf: (thread: number) => Int32Array | number): Raster {
  const { level, from, to, columns, rows, threads, event } = request;
  const size = rows * columns;
  const out: Raster =
    into && into.rows === rows && into.columns === columns && (into.event !== null) === event >= 0
      ? into
      : { rows, columns, values: new Float32Array(size * kChannels), event: event >= 0 ? new Float32Array(size) : null };
  out.values.fill(0);
  out.event?.fill(0);
  const { values } = out;
  const perColumn = (to - from) / columns;
  const counts = event >= 0 ? level.events[event] : null;
  for (const thread of threads) {
    const rowTable = rowOf(thread);
    const fixed = typeof rowTable === "number" ? rowTable : -1;
    const table = typeof rowTable === "number" ? null : rowTable;
    const last = level.first[thread + 1];
    for (let i = firstAfter(level, thread, from); i < last; i++) {
      const begin = level.begin[i];
      if (begin >= to) {
        break;
      }
      const row = table ? table[level.leaf[i]] : fixed;
      if (row < 0) {
        continue;
      }
      const length = level.length ? level.length[i] : level.width;
      const channel = kChannelOf[level.state[i]];
      const x0 = (begin - from) / perColumn;
      const x1 = (begin + length - from) / perColumn;
      const first = x0 < 0 ? 0 : x0 | 0;
      const base = row * columns;
      if (x1 <= first + 1) {
        values[(base + first) * kChannels + channel] += x0 < 0 ? level.ns[i] * (x1 / (x1 - x0)) : level.ns[i];
        if (counts) {
          out.event![base + first] += counts[i];
        }
        continue;
      }
      const density = level.ns[i] / (x1 - x0);
      const eventDensity = counts ? counts[i] / (x1 - x0) : 0;
      const end = x1 > columns ? columns : x1;
      for (let column = first; column < end; column++) {
        const part = (end < column + 1 ? end : column + 1) - (x0 > column ? x0 : column);
        values[(base + column) * kChannels + channel] += density * part;
        if (counts) {
          out.event![base + column] += eventDensity * part;
        }
      }
    }
  }
  return out;
}
