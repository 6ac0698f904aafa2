// The cost of each listed instruction in a region: exactly if the page holds single samples, else as the whole run's
// shares of its line.
import { isCounted, Metric } from "../data/calltree";
import { firstAfter, Level } from "../data/level";
import { Context } from "./context";

export interface Listing {
  fns: number[]; // with samples in it, inlined ones too
  image: number;
  rows: [offset: number, line: number, heat: number, text: string][]; // heat: ns of processor time in the whole run
}

export function instructionHeat(
  context: Context,
  listing: Listing,
  metric: Metric,
  lines: Map<number, number>, // of the function: line → the region's value
): { values: Float64Array; isExact: boolean } {
  const level = context.model.levels.exact();
  return level?.point
    ? { values: fromPieces(context, level, listing, metric), isExact: true }
    : { values: fromLines(listing, lines), isExact: false };
}

function fromPieces(context: Context, level: Level, listing: Listing, metric: Metric): Float64Array {
  const rowOf = new Map<number, number>(listing.rows.map(([offset], row) => [offset, row]));
  const values = new Float64Array(listing.rows.length);
  const [from, to] = context.regionBounds();
  for (const thread of context.threads()) {
    for (let i = firstAfter(level, thread, from); i < level.first[thread + 1] && level.begin[i] < to; i++) {
      const point = level.point![i];
      if (!point || level.pointImage![point] !== listing.image || !isCounted(level.state[i], metric)) {
        continue;
      }
      const row = rowOf.get(level.pointOffset![point]);
      if (row !== undefined) {
        const inside = Math.min(to, level.begin[i] + level.length![i]) - Math.max(from, level.begin[i]);
        const part = level.length![i] > 0 ? inside / level.length![i] : 1;
        values[row] += (typeof metric === "number" ? level.events[metric][i] : level.ns[i]) * part;
      }
    }
  }
  return values;
}

function fromLines(listing: Listing, lines: Map<number, number>): Float64Array {
  const whole = new Map<number, number>();
  for (const [, line, heat] of listing.rows) {
    whole.set(line, (whole.get(line) ?? 0) + heat);
  }
  return Float64Array.from(listing.rows, ([, line, heat]) => (heat ? (heat / whole.get(line)!) * (lines.get(line) ?? 0) : 0));
}
