// The states of the rows of threads over time: a raster of those from `first` to before `last`.
import { LaneRows } from "./lanerows";
import { Level } from "./level";
import { Matrix } from "./matrix";
import { kChannels, Raster } from "./sums";

export interface LaneSpan {
  level: Level;
  from: number; // ns
  to: number;
  columns: number;
}

export class LaneTimes {
  made: Raster | null = null;
  first = 0;
  private own = new Matrix();
  private sums: { matrix: Matrix; made: Raster | null }[] = [];

  // `key`: identifies the rows.
  read(span: LaneSpan, { rows, rowOf }: LaneRows, key: string, first: number, last: number): Raster {
    this.first = first;
    const request = { ...span, rows: last - first, event: -1 };
    const inside = (row: number) => row >= first && row < last;
    const threads = [...rowOf.keys()].filter((thread) => inside(rowOf[thread]));
    const made = this.own.raster({ ...request, threads }, this.made, `${key} ${first}`, (thread) => rowOf[thread] - first);
    this.made = made;
    // Open rows hold what the rows below show, in view or not; at each depth they have no thread in common.
    const open = rows
      .map((row, index) => ({ row, index }))
      .filter(({ row, index }) => inside(index) && row.threads.length > 1 && row.threads.some((one) => rowOf[one] !== index));
    for (const depth of new Set(open.map(({ row }) => row.depth))) {
      const of = new Map<number, number>();
      open
        .filter(({ row }) => row.depth === depth)
        .forEach(({ row, index }) => row.threads.forEach((thread) => rowOf[thread] !== index && of.set(thread, index - first)));
      const sum = (this.sums[depth] ??= { matrix: new Matrix(), made: null });
      sum.made = sum.matrix.raster(
        { ...request, threads: [...of.keys()] },
        sum.made,
        `${key} ${first}`,
        (thread) => of.get(thread) ?? -1,
      );
      addTo(made, sum.made);
    }
    return made;
  }

  // ns by channel of a row, at a column; its values begin there.
  at(row: number, column: number): number {
    return ((row - this.first) * this.made!.columns + column) * kChannels;
  }
}

function addTo(made: Raster, more: Raster) {
  for (let i = 0; i < made.values.length; i++) {
    made.values[i] += more.values[i];
  }
}
