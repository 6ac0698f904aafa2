// The page's data of a recording.
import { DataBlob, listBlobs } from "./blob";
import { AccountRow } from "./finding";
import { MemoryTrack } from "./memory";
import { Levels } from "./level";

export interface Thread {
  process: number;
  tid: number;
  name: string;
  begin: number;
  end: number;
  creator: number | null;
  created: string[];
  created_with: string[]; // lines
  sampled: boolean;
  states: number[]; // ns, by state
  costs: number[];
}

export interface Functions {
  name: string[];
  module: string[];
  file: number[];
  line: number[];
}

export interface Waits {
  all: number;
  thread: Uint32Array;
  number: Uint32Array;
  object: Uint32Array;
  holder: Uint32Array; // thread + 1; 0: not known
  leaf: Uint32Array;
  begin: Float64Array;
  length: Float64Array;
  objects: { kind: string; address: string; process: number; between: boolean }[];
  first: Uint32Array; // by thread
}

// What leads from a moment of one thread to a later one of another, in an imported trace.
export interface Flows {
  from: Uint32Array;
  to: Uint32Array;
  end: Float64Array;
  length: Float64Array;
}

// A metric over time: equal parts of the time between begin and end.
export interface Series {
  kind: string; // task, processor, channel
  name: string;
  unit: string;
  description: string;
  total: number;
  total_is: string; // the rule for the objects' total and for the bins: sum, mean, minimum, maximum
  counter: boolean; // bins are its increase; else its value
  begin: number;
  end: number;
  bins: number[];
  hosts: number[][]; // the same of each host of the model; empty: not known by host
}

// A sender or receiver.
export interface Party {
  name: string;
  rank: number | null;
  pid: number; // 0: not known
  thread: number; // 0: all of the process
  outside: boolean; // not of the recording
}

export interface ChannelTable {
  kind: "mpi" | "ends";
  all: number; // number of pairs, with those left out
  pairs: [from: number, to: number, messages: number, bytes: number, sending: number, receiving: number][];
  others: [what: string, party: number, messages: number, bytes: number, ns: number][];
}

// For a recording of many hosts; times as everywhere, in ns.
export interface Host {
  name: string;
  clock_error: number | null; // its times are right within it
  gaps: [number, number][]; // without an answer
}

export const enum State {
  User,
  System,
  Ready,
  Waiting,
  Off,
  Paused,
  Spinning,
}
export const kStates = 7;

// What the C library's start-up code calls is put under that code's caller, so that every view begins at main and at threads'
// functions. Start-up code itself is a leaf.
function withoutStartUp(parents: Uint32Array, isStartUp: (node: number) => boolean): Uint32Array {
  const kept = parents.slice();
  for (let node = 1; node < kept.length; node++) {
    while (kept[node] && isStartUp(kept[node])) {
      kept[node] = kept[kept[node]];
    }
  }
  return kept;
}

function readOwn(blob: DataBlob, leaves: number): Model["own"] {
  const leaf = blob.u32("own.leaf");
  const ns = blob.f64("own.ns");
  const sums = new Float64Array(leaves);
  leaf.forEach((of, row) => (sums[of] += ns[row]));
  return { leaf, line: blob.u32("own.line"), share: ns.map((value, row) => value / sums[leaf[row]]) };
}

export class Model {
  run: any;
  threads: Thread[];
  processes: { pid: number; name: string; rank: number | null; host: number }[]; // host: of rankHosts; −1: not known
  rankHosts: string[];
  functions: Functions;
  files: string[];
  images: string[];
  events: string[]; // the counted ones
  eventUnits: string[];
  verdict: string;
  account: { ns: number; rows: AccountRow[] };
  alarms: string[]; // reasons to doubt the whole recording
  sentences: string[];
  notes: string[];
  unavailable: [string, string, string][];
  range: [number, number];
  served: { look: number; is_growing: boolean } | null; // null: the page is a file
  nodeParent: Uint32Array;
  nodeFunction: Uint32Array;
  nodeKind: Uint32Array; // kind × 2 + inlined
  nodeFile: Uint32Array;
  nodeLine: Uint32Array;
  nodeDepth: Uint16Array;
  leafNode: Uint32Array;
  leafLine: Uint32Array;
  lineFunction: Uint32Array;
  lineFile: Uint32Array;
  lineNumber: Uint32Array;
  lineImage: Uint32Array;
  lineFirst: Float64Array;
  lineLast: Float64Array;
  own: { leaf: Uint32Array; line: Uint32Array; share: Float64Array }; // lines of own code above leaves; share of the leaf
  excerpt: { read: number; of: number } | null; // samples; of a first look
  editorLink: string; // with {file} and {line}; empty: none
  waits: Waits;
  flows: Flows | null;
  metrics: Series[];
  memory: MemoryTrack[]; // all processes together if there are several, then the largest ones
  hosts: Host[];
  channels: { parties: Party[]; tables: ChannelTable[] };
  levels: Levels;
  json: any;
  private isOwnFunction: boolean[];
  private inMessages: Float64Array | null = null;

  private constructor(blob: DataBlob, arrived: () => void) {
    const json = (this.json = blob.json);
    listBlobs(json.blobs);
    this.run = json.run;
    this.threads = json.threads;
    this.processes = json.processes;
    this.functions = {
      name: json.functions.map((row: any[]) => row[0]),
      module: json.functions.map((row: any[]) => row[1]),
      file: json.functions.map((row: any[]) => row[2]),
      line: json.functions.map((row: any[]) => row[3]),
    };
    this.isOwnFunction = json.functions.map((row: any[]) => row[5]);
    this.files = json.files;
    this.images = json.images;
    this.events = json.counted.map((event: number) => json.events[event].name);
    this.eventUnits = json.counted.map((event: number) => json.events[event].unit);
    this.verdict = json.verdict ?? "";
    this.account = json.account ?? { ns: 0, rows: [] };
    this.alarms = json.alarms ?? [];
    this.sentences = json.sentences;
    this.notes = json.notes;
    this.unavailable = json.unavailable;
    this.range = json.range;
    this.served = json.served ?? null;
    this.metrics = json.metrics;
    this.memory = json.memory ?? [];
    this.hosts = json.hosts;
    this.rankHosts = json.rank_hosts;
    this.channels = json.channels;
    this.nodeFunction = blob.u32("node.function");
    this.nodeKind = blob.u32("node.kind");
    const isStartUp: boolean[] = json.functions.map((row: any[]) => row[6]);
    this.nodeParent = withoutStartUp(
      blob.u32("node.parent"),
      (node) => this.nodeKind[node] >> 1 === 0 && isStartUp[this.nodeFunction[node]],
    );
    this.nodeFile = blob.u32("node.file");
    this.nodeLine = blob.u32("node.line");
    this.nodeDepth = new Uint16Array(this.nodeParent.length);
    for (let node = 1; node < this.nodeParent.length; node++) {
      this.nodeDepth[node] = this.nodeDepth[this.nodeParent[node]] + 1;
    }
    this.leafNode = blob.u32("leaf.node");
    this.leafLine = blob.u32("leaf.line");
    this.lineFunction = blob.u32("line.function");
    this.lineFile = blob.u32("line.file");
    this.lineNumber = blob.u32("line.number");
    this.lineImage = blob.u32("line.image");
    this.lineFirst = blob.f64("line.first");
    this.lineLast = blob.f64("line.last");
    this.own = readOwn(blob, this.leafNode.length);
    this.excerpt = json.excerpt ?? null;
    this.editorLink = json.editor_link ?? "";
    this.waits = this.readWaits(blob);
    this.flows = blob.json.flows
      ? {
          from: blob.u32("flow.from"),
          to: blob.u32("flow.to"),
          end: blob.f64("flow.end"),
          length: blob.f64("flow.length"),
        }
      : null;
    this.levels = new Levels(json.levels, this.events.length, arrived);
  }

  static async load(arrived: () => void): Promise<Model> {
    const model = new Model(await DataBlob.open("head"), arrived);
    await model.levels.start();
    return model;
  }

  private readWaits(blob: DataBlob): Waits {
    const thread = blob.u32("wait.thread");
    const first = new Uint32Array(this.threads.length + 1);
    for (const of of thread) {
      first[of + 1]++;
    }
    for (let i = 1; i < first.length; i++) {
      first[i] += first[i - 1];
    }
    return {
      all: blob.json.waits.all,
      thread,
      number: blob.u32("wait.number"),
      object: blob.u32("wait.object"),
      holder: blob.u32("wait.holder"),
      leaf: blob.u32("wait.leaf"),
      begin: blob.f64("wait.begin"),
      length: blob.f64("wait.length"),
      objects: blob.json.waits.objects.map((row: any[]) => ({
        kind: row[0],
        address: row[1],
        process: row[2],
        between: row[3],
      })),
      first,
    };
  }

  get duration(): number {
    return this.run.duration;
  }

  // ns of each thread in calls of MPI.
  timeInMessages(): Float64Array {
    if (!this.inMessages) {
      const isMessage = this.functions.name.map((name) => /^P?MPI_/.test(name));
      const isBelow = new Uint8Array(this.nodeParent.length); // a parent comes before its children
      for (let node = 1; node < isBelow.length; node++) {
        isBelow[node] = isBelow[this.nodeParent[node]] || Number(isMessage[this.nodeFunction[node]] ?? false);
      }
      const level = this.levels.coarsest();
      this.inMessages = new Float64Array(this.threads.length);
      for (let thread = 0; thread < this.threads.length; thread++) {
        for (let i = level.first[thread]; i < level.first[thread + 1]; i++) {
          this.inMessages[thread] += isBelow[this.leafNode[level.leaf[i]]] ? level.ns[i] : 0;
        }
      }
    }
    return this.inMessages;
  }

  // Whether a function is of the program's own code, of any of its processes, and not of a library.
  isOwn(fn: number): boolean {
    return this.isOwnFunction[fn];
  }

  // Without the program's name behind the thread's own: "Python thread 2 of python3.11".
  threadName(thread: number): string {
    const { name, tid, process } = this.threads[thread];
    const program = ` of ${this.processes[process]?.name}`;
    return (name.endsWith(program) ? name.slice(0, -program.length) : name) || `thread ${tid}`;
  }

  threadTitle(thread: number): string {
    const of = this.threads[thread];
    const process = this.processes[of.process];
    const place = this.processes.length > 1 && process ? ` of ${process.name} ${process.pid}` : "";
    return `${this.threadName(thread)} (${of.tid})${place}`;
  }

  // The address that opens a line in an editor; null: none. The template's scheme is checked when the page is made.
  editorAddress(path: string, line: number): string | null {
    if (!path || !this.editorLink || (!path.startsWith("/") && !this.run.directory)) {
      return null;
    }
    const whole = path.startsWith("/") ? path : `${this.run.directory}/${path}`;
    const escaped = whole.split("/").map(encodeURIComponent).join("/");
    return this.editorLink.replaceAll(/\{(file|line)\}/g, (_, what) => (what === "file" ? escaped : String(line || 1)));
  }

  place(file: number, line: number): string {
    return placeWords(this.files[file] ?? "", line);
  }
}

// The file's own name, and the line if known.
export function placeWords(path: string, line: number): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name ? (line ? `${name}:${line}` : name) : "";
}
