// One resolution of the time cells: each thread's time by leaf, state and bin.
import { DataBlob } from "./blob";

export interface Level {
  width: number; // ns of a bin; 0: single pieces
  first: Uint32Array; // by thread
  begin: Float64Array; // ns since the run's begin
  length: Float64Array | null; // of single pieces
  ns: Float32Array; // how long within [begin, begin + width)
  leaf: Uint32Array;
  state: Uint8Array;
  events: Float32Array[]; // by counted event
  point: Uint32Array | null; // of single pieces: the sampled address
  pointImage: Uint32Array | null; // by address: its image and the offset in it
  pointOffset: Float64Array | null;
  wait: Uint32Array | null; // of single pieces: number of the thread's wait, from 1
}

function exactOf(rough: number): number {
  return rough < 16 ? rough : (16 + (rough & 15) + 0.5) * 2 ** ((rough >> 4) - 1);
}

export async function openLevel(id: string, events: number): Promise<Level> {
  const blob = await DataBlob.open(id);
  const first = Uint32Array.from(blob.f64("first"));
  const key = blob.u32("key");
  const cells = key.length;
  const leaf = new Uint32Array(cells);
  const state = new Uint8Array(cells);
  for (let i = 0; i < cells; i++) {
    leaf[i] = key[i] >>> 3;
    state[i] = key[i] & 7;
  }
  const begin = new Float64Array(cells);
  const counts: Float32Array[] = [];
  if (blob.json.width === 0) {
    const starts = blob.f64("begin");
    const length = blob.f64("length");
    for (let thread = 0; thread + 1 < first.length; thread++) {
      let at = starts[thread];
      for (let i = first[thread]; i < first[thread + 1]; i++) {
        begin[i] = at;
        at += length[i];
      }
    }
    for (let event = 0; event < events; event++) {
      counts.push(Float32Array.from(blob.f64(`event.${event}`)));
    }
    const ns = Float32Array.from(length);
    return {
      width: 0,
      first,
      begin,
      length,
      ns,
      leaf,
      state,
      events: counts,
      point: blob.u32("point"),
      pointImage: blob.u32("point.image"),
      pointOffset: blob.f64("point.offset"),
      wait: blob.u32("wait"),
    };
  }
  const bin = blob.u32("bin");
  const amount = blob.u32("amount");
  const width: number = blob.json.width;
  const unit: number = blob.json.unit;
  const ns = new Float32Array(cells);
  for (let thread = 0; thread + 1 < first.length; thread++) {
    let at = 0;
    for (let i = first[thread]; i < first[thread + 1]; i++) {
      at += bin[i];
      begin[i] = at * width;
      ns[i] = amount[i] * unit;
    }
  }
  const exact = Float32Array.from({ length: 256 }, (_, rough) => exactOf(rough));
  for (let event = 0; event < events; event++) {
    const raw = blob.raw(`event.${event}`);
    const scale = 2 ** blob.json.shifts[event];
    const column = new Float32Array(cells);
    for (let i = 0; i < cells; i++) {
      column[i] = exact[raw[i]] * scale;
    }
    counts.push(column);
  }
  return {
    width,
    first,
    begin,
    length: null,
    ns,
    leaf,
    state,
    events: counts,
    point: null,
    pointImage: null,
    pointOffset: null,
    wait: null,
  };
}

// The first cell of a thread that reaches beyond `time`.
export function firstAfter(level: Level, thread: number, time: number): number {
  let low = level.first[thread];
  let high = level.first[thread + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const end = level.begin[middle] + (level.length ? level.length[middle] : level.width);
    if (end <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Levels are opened on demand; until then the nearest open one is used.
export class Levels {
  private open = new Map<number, Level>();
  private opening = new Set<number>();

  constructor(
    private described: { id: string; width: number; cells: number }[],
    private events: number,
    private arrived: () => void,
  ) {}

  async start(): Promise<void> {
    this.open.set(0, await openLevel(this.described[0].id, this.events));
  }

  private request(index: number) {
    if (!this.open.has(index) && !this.opening.has(index)) {
      this.opening.add(index);
      openLevel(this.described[index].id, this.events).then((level) => {
        this.open.set(index, level);
        this.arrived();
      });
    }
  }

  coarsest(): Level {
    return this.open.get(0)!;
  }

  // The coarsest with bins of at most `width`, or the finest.
  best(width: number): Level {
    let wanted = this.described.findIndex((level) => level.width <= width);
    if (wanted < 0) {
      wanted = this.described.length - 1;
    }
    this.request(wanted);
    for (let index = wanted; index >= 0; index--) {
      const level = this.open.get(index);
      if (level) {
        return level;
      }
    }
    return this.coarsest();
  }

  exact(): Level | null {
    const last = this.described.length - 1;
    if (this.described[last].width !== 0) {
      return null;
    }
    this.request(last);
    return this.open.get(last) ?? null;
  }

  finestWidth(): number {
    return this.described[this.described.length - 1].width;
  }
}
