// A level added up by row and bin, so that moving and zooming need not read every cell again: made once for the view's
// rows, read at every frame.
import { Level } from "./level";
import { kChannelOf, kChannels, Raster, raster, RasterRequest } from "./sums";

const kMostNumbers = 12_000_000;
const kFewCells = 60_000; // levels with fewer are as fast without

export class Matrix {
  private level: Level | null = null;
  private key = "";
  private rows = 0;
  private bins = 0;
  private values = new Float32Array(0);
  private counts: Float32Array | null = null;
  private channels: number[] = []; // those that are not empty

  // `key`: identifies the values of rowOf() and the requested threads.
  raster(request: RasterRequest, into: Raster | null, key: string, rowOf: (thread: number) => Int32Array | number): Raster {
    const { level, rows, event } = request;
    const bins = level.width ? this.binsOf(level) : 0;
    if (!bins || level.leaf.length < kFewCells || bins * rows * kChannels > kMostNumbers) {
      return raster(request, into, rowOf);
    }
    const wanted = `${rows} ${event} ${key}`;
    if (this.level !== level || this.key !== wanted) {
      this.fill(request, bins, rowOf);
      this.level = level;
      this.key = wanted;
    }
    return this.read(request, into);
  }

  private binsOf(level: Level): number {
    let last = 0;
    for (let thread = 0; thread + 1 < level.first.length; thread++) {
      if (level.first[thread + 1] > level.first[thread]) {
        last = Math.max(last, level.begin[level.first[thread + 1] - 1]);
      }
    }
    return Math.round(last / level.width) + 1;
  }

  private fill({ level, rows, event, threads }: RasterRequest, bins: number, rowOf: (thread: number) => Int32Array | number) {
    this.rows = rows;
    this.bins = bins;
    this.values = new Float32Array(rows * bins * kChannels);
    this.counts = event >= 0 ? new Float32Array(rows * bins) : null;
    const seen = new Uint8Array(kChannels);
    for (const thread of threads) {
      const of = rowOf(thread);
      for (let i = level.first[thread]; i < level.first[thread + 1]; i++) {
        const row = typeof of === "number" ? of : of[level.leaf[i]];
        if (row >= 0) {
          const at = row * bins + Math.round(level.begin[i] / level.width);
          const channel = kChannelOf[level.state[i]];
          seen[channel] = 1;
          this.values[at * kChannels + channel] += level.ns[i];
          if (this.counts) {
            this.counts[at] += level.events[event][i];
          }
        }
      }
    }
    this.channels = [...seen.keys()].filter((channel) => seen[channel]);
  }

  private read({ level, from, to, columns, event }: RasterRequest, into: Raster | null): Raster {
    const { rows, bins } = this;
    const out: Raster =
      into && into.rows === rows && into.columns === columns && (into.event !== null) === event >= 0
        ? into
        : {
            rows,
            columns,
            values: new Float32Array(rows * columns * kChannels),
            event: event >= 0 ? new Float32Array(rows * columns) : null,
          };
    out.values.fill(0);
    out.event?.fill(0);
    const perColumn = (to - from) / columns / level.width; // in bins
    const begin = from / level.width;
    const { values, counts, channels } = this;
    for (let row = 0; row < rows; row++) {
      let target = row * columns * kChannels;
      for (let column = 0; column < columns; column++, target += kChannels) {
        const low = begin + column * perColumn;
        const high = low + perColumn;
        const last = high < bins ? Math.ceil(high) : bins;
        for (let bin = low > 0 ? low | 0 : 0; bin < last; bin++) {
          const part = (high < bin + 1 ? high : bin + 1) - (low > bin ? low : bin);
          const source = (row * bins + bin) * kChannels;
          for (let i = 0; i < channels.length; i++) {
            out.values[target + channels[i]] += values[source + channels[i]] * part;
          }
          if (counts) {
            out.event![row * columns + column] += counts[row * bins + bin] * part;
          }
        }
      }
    }
    return out;
  }
}
