// Metrics over time for tracks: how many of the chosen threads were on a processor or ready for one, and the counts of each
// event, by pixel column.
import { firstAfter, Level } from "./level";
import { kChannelOf, kChannels } from "./sums";

// A level added up over its threads, by bin: first the channels' ns, then the events.
interface Bins {
  level: Level;
  threads: string;
  bins: number;
  values: Float64Array;
}

export interface TrackTimes {
  columns: number;
  fields: number;
  values: Float64Array; // column × fields + field: ns by channel, then counts by event
}

export class TrackSums {
  private made: Bins | null = null;

  read(level: Level, threads: number[], from: number, to: number, columns: number): TrackTimes {
    const fields = kChannels + level.events.length;
    const values = new Float64Array(columns * fields);
    if (level.width) {
      this.readBins(this.binsOf(level, threads, fields), from, to, columns, fields, values);
    } else {
      readPieces(level, threads, from, to, columns, fields, values);
    }
    return { columns, fields, values };
  }

  private binsOf(level: Level, threads: number[], fields: number): Bins {
    const key = threads.join();
    if (this.made?.level === level && this.made.threads === key) {
      return this.made;
    }
    let last = 0;
    for (const thread of threads) {
      const end = level.first[thread + 1];
      last = Math.max(last, end > level.first[thread] ? level.begin[end - 1] : 0);
    }
    const bins = Math.round(last / level.width) + 1;
    const values = new Float64Array(bins * fields);
    for (const thread of threads) {
      for (let i = level.first[thread]; i < level.first[thread + 1]; i++) {
        const at = Math.round(level.begin[i] / level.width) * fields;
        values[at + kChannelOf[level.state[i]]] += level.ns[i];
        for (let event = 0; event < level.events.length; event++) {
          values[at + kChannels + event] += level.events[event][i];
        }
      }
    }
    return (this.made = { level, threads: key, bins, values });
  }

  private readBins(made: Bins, from: number, to: number, columns: number, fields: number, out: Float64Array) {
    const perColumn = (to - from) / columns / made.level.width; // in bins
    for (let column = 0; column < columns; column++) {
      const low = from / made.level.width + column * perColumn;
      const high = low + perColumn;
      for (let bin = Math.max(0, Math.floor(low)); bin < Math.min(made.bins, Math.ceil(high)); bin++) {
        const part = Math.min(high, bin + 1) - Math.max(low, bin);
        for (let field = 0; field < fields; field++) {
          out[column * fields + field] += made.values[bin * fields + field] * part;
        }
      }
    }
  }
}

function readPieces(
  level: Level,
  threads: number[],
  from: number,
  to: number,
  columns: number,
  fields: number,
  out: Float64Array,
) {
  const perColumn = (to - from) / columns;
  for (const thread of threads) {
    for (let i = firstAfter(level, thread, from); i < level.first[thread + 1] && level.begin[i] < to; i++) {
      const x0 = (level.begin[i] - from) / perColumn;
      const x1 = x0 + Math.max(level.length![i], 1) / perColumn;
      const channel = kChannelOf[level.state[i]];
      for (let column = Math.max(0, Math.floor(x0)); column < Math.min(columns, x1); column++) {
        const part = (Math.min(x1, column + 1) - Math.max(x0, column)) / (x1 - x0);
        const at = column * fields;
        out[at + channel] += level.ns[i] * part;
        for (let event = 0; event < level.events.length; event++) {
          out[at + kChannels + event] += level.events[event][i] * part;
        }
      }
    }
  }
}
