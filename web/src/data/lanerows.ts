// The rows of the threads' view: threads, under their process where there are several; a folded process is one row.
import { Model } from "./model";

export interface LaneRow {
  process: number; // of a process's own row; −1: a thread's
  threads: number[]; // what it shows: one thread, or a process's
  isFolded: boolean;
  depth: number;
}

export interface LaneRows {
  rows: LaneRow[];
  rowOf: Int32Array; // thread → the row that shows it
}

// Programs of so many threads begin with their processes folded.
const kManyThreads = 48;

export function threadsOf(model: Model, process: number): number[] {
  return model.threads.flatMap((thread, index) => (thread.process === process ? [index] : []));
}

export function foldedAtFirst(model: Model): Set<number> {
  const many = model.processes.length > 1 && model.threads.length > kManyThreads;
  return new Set(many ? model.processes.map((_, process) => process) : []);
}

export function laneRows(model: Model, folded: Set<number>): LaneRows {
  const rows: LaneRow[] = [];
  const rowOf = new Int32Array(model.threads.length).fill(-1);
  const several = model.processes.length > 1;
  const put = (thread: number, depth: number) => {
    rowOf[thread] = rows.length;
    rows.push({ process: -1, threads: [thread], isFolded: false, depth });
  };
  if (!several) {
    model.threads.forEach((_, thread) => put(thread, 0));
    return { rows, rowOf };
  }
  const known = new Set<number>();
  for (let process = 0; process < model.processes.length; process++) {
    const threads = threadsOf(model, process);
    threads.forEach((thread) => known.add(thread));
    if (threads.length === 1) {
      put(threads[0], 0); // the thread is the process
    } else if (threads.length) {
      const isFolded = folded.has(process);
      if (isFolded) {
        threads.forEach((thread) => (rowOf[thread] = rows.length));
      }
      rows.push({ process, threads, isFolded, depth: 0 });
      if (!isFolded) {
        threads.forEach((thread) => put(thread, 1));
      }
    }
  }
  model.threads.forEach((_, thread) => known.has(thread) || put(thread, 0));
  return { rows, rowOf };
}

export function processName(model: Model, process: number): string {
  const { rank, name } = model.processes[process];
  return rank === null ? name : `rank ${rank}`;
}

export function processTitle(model: Model, process: number): string {
  return `${processName(model, process)} (${model.processes[process].pid})`;
}

// Who is chosen, in words: a thread, a process, or how many.
export function chosenWords(model: Model, threads: number[] | null): string {
  if (!threads) {
    return "all threads";
  }
  if (threads.length === 1) {
    return model.threadName(threads[0]);
  }
  const process = model.threads[threads[0]]?.process ?? -1;
  const whole = process >= 0 && threadsOf(model, process).join() === threads.join();
  return whole ? processTitle(model, process) : `${threads.length} threads`;
}
