// The rows of the threads' view: threads, main ones first, under their process if there are several; a folded process is
// one row, and so are short processes together, and many ranks by host, save those that differ most. Of thousands of rows some are shown: those that differ most, and an even part.
import { kStates, Model } from "./model";

export interface LaneRow {
  kind: "thread" | "process" | "ranks" | "short"; // short: processes that live for a small part of the run
  key: string; // t: thread, p: process, r: group of ranks, each with its number in the page; or short
  process: number; // −1: none, or several
  threads: number[]; // shown in the row
  isAlone: boolean; // the only thread of its process
  isFolded: boolean;
  depth: number;
}

export interface LaneRows {
  rows: LaneRow[]; // pinned ones first
  pinned: number; // their number
  rowOf: Int32Array; // thread → the row that shows it by itself, or within a folded one; −1: none
  all: number; // number of rows, with those that are left out
}

export interface LaneChoice {
  folded: Set<string>; // keys of rows
  pinned: Set<string>;
  kept: Set<number>; // threads that are never left out
  most: number; // rows
}

interface Branch {
  row: LaneRow;
  below: Branch[];
}

// Programs with this many threads begin with their processes folded.
const kManyThreads = 48;
const kShortLife = 0.05; // of the run
const kFewShort = 3; // fewer are not worth a row of their own
const kShortKey = "short";
const kManyRanks = 48; // more are grouped: by host, or on one host by number
const kGroup = 32; // ranks
const kOutlierRanks = 12; // at most, that are shown although their group is folded

export function threadsOf(model: Model, process: number): number[] {
  return model.threads.flatMap((thread, index) => (thread.process === process ? [index] : []));
}

export function foldedAtFirst(model: Model): Set<string> {
  const many = model.processes.length > 1 && model.threads.length > kManyThreads;
  const groups = rankGroups(model).map((_, group) => `r${group}`);
  return new Set([kShortKey, ...groups, ...(many ? model.processes.map((_, process) => `p${process}`) : [])]);
}

// Threads by process; the last list is of none. The main thread comes first, then those that began first.
function byProcess(model: Model): number[][] {
  const lists: number[][] = Array.from({ length: model.processes.length + 1 }, () => []);
  model.threads.forEach(({ process }, thread) => (lists[process] ?? lists[model.processes.length]).push(thread));
  const isMain = (thread: number) => {
    const { process, tid } = model.threads[thread];
    return model.processes[process]?.pid === tid;
  };
  for (const list of lists) {
    list.sort(
      (a, b) =>
        Number(isMain(b)) - Number(isMain(a)) ||
        model.threads[a].begin - model.threads[b].begin ||
        model.threads[a].tid - model.threads[b].tid,
    );
  }
  return lists;
}

// The processes of each group, in the order of their ranks; none if ranks are few.
function rankGroups(model: Model): number[][] {
  const ranks = [...model.processes.keys()].filter((process) => model.processes[process].rank !== null);
  const numbers = new Set(ranks.map((process) => model.processes[process].rank!));
  if (numbers.size <= kManyRanks) {
    return [];
  }
  ranks.sort((a, b) => model.processes[a].rank! - model.processes[b].rank!);
  const hosts = new Set(ranks.map((process) => model.processes[process].host));
  const groups = new Map<number, number[]>();
  for (const process of ranks) {
    const { rank, host } = model.processes[process];
    const key = hosts.size > 1 ? host : Math.floor(rank! / kGroup);
    groups.get(key)?.push(process) ?? groups.set(key, [process]);
  }
  return [...groups.values()];
}

// What the ranks of a row are called, and their numbers: "n17", "0–31".
export function ranksWords(model: Model, threads: number[]): [string, string] {
  const processes = [...new Set(threads.map((thread) => model.threads[thread].process))];
  const ranks = processes.map((process) => model.processes[process].rank!);
  const host = model.rankHosts[model.processes[processes[0]].host];
  const [least, most] = [Math.min(...ranks), Math.max(...ranks)];
  const isWhole = most - least + 1 === new Set(ranks).size;
  return [model.rankHosts.length > 1 && host ? host : "ranks", `${isWhole ? "" : "of "}${least}–${most}`];
}

function threadBranch(model: Model, thread: number): Branch {
  const { process } = model.threads[thread];
  return {
    row: { kind: "thread", key: `t${thread}`, process, threads: [thread], isAlone: false, isFolded: false, depth: 0 },
    below: [],
  };
}

function branches(model: Model, folded: Set<string>): Branch[] {
  const lists = byProcess(model);
  const others = lists.pop()!.map((thread) => threadBranch(model, thread));
  if (model.processes.length <= 1) {
    return [...(lists[0] ?? []).map((thread) => threadBranch(model, thread)), ...others];
  }
  const begin = lists.map((list) => Math.min(...list.map((thread) => model.threads[thread].begin)));
  const life = lists.map((list, process) => Math.max(...list.map((thread) => model.threads[thread].end)) - begin[process]);
  const rank = (process: number) => model.processes[process].rank ?? -1;
  const order = [...lists.keys()]
    .filter((process) => lists[process].length)
    .sort((a, b) => rank(a) - rank(b) || begin[a] - begin[b]);
  const branchOf = (process: number): Branch => {
    const threads = lists[process];
    const below = threads.map((thread) => threadBranch(model, thread));
    const key = `p${process}`;
    return threads.length === 1
      ? { ...below[0], row: { ...below[0].row, isAlone: true } }
      : { row: { kind: "process", key, process, threads, isAlone: false, isFolded: folded.has(key), depth: 0 }, below };
  };
  const isShort = (process: number, at: number) => at > 0 && rank(process) < 0 && life[process] < kShortLife * model.duration;
  const groups = rankGroups(model).map((processes, group): Branch => {
    const key = `r${group}`;
    const inside = processes.filter((process) => lists[process].length);
    const row: LaneRow = {
      kind: "ranks",
      key,
      process: -1,
      threads: inside.flatMap((process) => lists[process]),
      isAlone: false,
      isFolded: folded.has(key),
      depth: 0,
    };
    return { row, below: inside.map(branchOf) };
  });
  const together = (processes: number[]) =>
    groups.length ? [...groups, ...processes.filter((process) => rank(process) < 0).map(branchOf)] : processes.map(branchOf);
  const short = order.filter(isShort);
  if (short.length < kFewShort) {
    return [...together(order), ...others];
  }
  const threads = short.flatMap((process) => lists[process]);
  const group: LaneRow = {
    kind: "short",
    key: kShortKey,
    process: -1,
    threads,
    isAlone: false,
    isFolded: folded.has(kShortKey),
    depth: 0,
  };
  const long = order.filter((process) => !short.includes(process));
  return [...together(long), { row: group, below: short.map(branchOf) }, ...others];
}

// Ranks that differ most from the others.
function outlierRanks(model: Model, all: Branch[]): Set<LaneRow> {
  const ranks = all.filter(({ row }) => row.kind === "ranks").flatMap(({ below }) => below.map(({ row }) => row));
  const score = distances(model, ranks);
  const far = [...ranks.keys()].filter((at) => score[at] > kFarOff).sort((a, b) => score[b] - score[a]);
  return new Set(far.slice(0, kOutlierRanks).map((at) => ranks[at]));
}

export function laneRows(model: Model, choice: LaneChoice): LaneRows {
  const rows: LaneRow[] = [];
  const pinned: LaneRow[] = [];
  const all = branches(model, choice.folded);
  const outliers = outlierRanks(model, all);
  const put = (branch: Branch, into: LaneRow[], depth: number) => {
    const { row, below } = branch;
    const to = into !== pinned && choice.pinned.has(row.key) ? pinned : into;
    const at = to === into ? depth : 0;
    if (to === pinned || into !== hidden) {
      to.push({ ...row, depth: at });
    }
    below.forEach((one) => put(one, row.isFolded && !(to !== hidden && outliers.has(one.row)) ? hidden : to, at + 1));
  };
  const hidden: LaneRow[] = []; // below folded rows: only pinned ones are shown
  all.forEach((branch) => put(branch, rows, 0));
  const left = rows.length > choice.most ? sample(model, rows, choice) : rows;
  const shown = [...pinned, ...left];
  const rowOf = new Int32Array(model.threads.length).fill(-1);
  shown.forEach((row, index) => {
    if (row.kind === "thread" || row.isFolded) {
      // A rank that is shown below its folded group has a row of its own; pinned ones come first.
      const isFree = (at: number) => at < 0 || (at >= pinned.length && shown[at].kind === "ranks" && shown[at].isFolded);
      row.threads.forEach((thread) => (rowOf[thread] = isFree(rowOf[thread]) ? index : rowOf[thread]));
    }
  });
  return { rows: shown, pinned: pinned.length, rowOf, all: pinned.length + rows.length };
}

const kOutliers = 0.25; // of the rows that are shown
const kFarOff = 6; // times the usual distance from the median
const kLeastDistance = 0.005; // of the run

// At most `most` of the rows: those to be kept, those that differ most from the others, and an even part of the rest; open
// processes if any of their rows is shown.
function sample(model: Model, rows: LaneRow[], choice: LaneChoice): LaneRow[] {
  const isLeaf = (row: LaneRow) => row.kind === "thread" || row.isFolded;
  const leaves = rows.filter(isLeaf);
  const score = distances(model, leaves);
  const taken = new Set<LaneRow>();
  leaves.forEach((row, at) => (at === 0 || row.threads.some((thread) => choice.kept.has(thread))) && taken.add(row));
  [...leaves.keys()]
    .filter((at) => score[at] > kFarOff)
    .sort((a, b) => score[b] - score[a])
    .slice(0, Math.round(choice.most * kOutliers))
    .forEach((at) => taken.add(leaves[at]));
  const rest = leaves.filter((row) => !taken.has(row));
  const room = Math.max(0, choice.most - taken.size);
  for (let i = 0; i < room; i++) {
    taken.add(rest[Math.floor((i * rest.length) / room)]);
  }
  // From the end: it is then known for an open row whether any below it is shown.
  const shown: LaneRow[] = [];
  for (const row of rows.slice().reverse()) {
    const next = shown[shown.length - 1];
    if (isLeaf(row) ? taken.has(row) : next !== undefined && next.depth > row.depth) {
      shown.push(row);
    }
  }
  return shown.reverse();
}

function median(values: number[]): number {
  return values.slice().sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

// How far each row's time is from the median row's: in the state in which it is farthest, or in calls that pass messages,
// which wait on a processor.
function distances(model: Model, rows: LaneRow[]): Float64Array {
  const far = new Float64Array(rows.length);
  const messages = model.timeInMessages();
  for (let state = 0; state <= kStates; state++) {
    const of = (thread: number) => (state === kStates ? messages[thread] : (model.threads[thread].states[state] ?? 0));
    const time = rows.map(({ threads }) => threads.reduce((sum, thread) => sum + of(thread), 0) / threads.length);
    const middle = median(time);
    const usual = median(time.map((ns) => Math.abs(ns - middle)));
    const scale = Math.max(usual, kLeastDistance * model.duration, 1);
    time.forEach((ns, at) => (far[at] = Math.max(far[at], Math.abs(ns - middle) / scale)));
  }
  return far;
}

export function processName(model: Model, process: number): string {
  const { rank, name } = model.processes[process];
  return rank === null ? name : `rank ${rank}`;
}

export function processTitle(model: Model, process: number): string {
  return `${processName(model, process)} (${model.processes[process].pid})`;
}

// The chosen threads, in words: a thread, a process, or how many.
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

// "3 short: as, collect2, ld".
export function shortWords(model: Model, threads: number[], what: string): string {
  const processes = [...new Set(threads.map((thread) => model.threads[thread].process))];
  const names = [...new Set(processes.map((process) => processName(model, process)))];
  return `${processes.length} ${what}: ${names.join(", ")}`;
}
