// The current view. Kept in the page's address, so that a link shows the same again.
import { Metric, TimeMetric } from "./data/calltree";
import { Order } from "./data/spaces";

export const kTabs = [
  "paths",
  "functions",
  "source",
  "occurrences",
  "patterns",
  "waits",
  "channels",
  "heavy",
  "gaps",
  "address_map",
] as const;
export type Tab = (typeof kTabs)[number];
export const kFlames = ["heavy", "time", "inverted", "sandwich"] as const;
export type FlameOrder = (typeof kFlames)[number];
export type Tint = "state" | number; // number: a counted event

// An edit of a function in the flame graph. hide: its cost belongs to its callers, which then call its callees;
// merge: its callees are a part of it.
export interface FlameEdit {
  how: "hide" | "merge";
  fn: number;
}

export interface View {
  from: number; // ns
  to: number;
  brush: [number, number] | null;
  threads: number[] | null; // null: all
  order: Order;
  space: string; // key of the selected tree node; "": none
  find: string; // searched text; "": none
  tab: Tab;
  flame: FlameOrder;
  edits: FlameEdit[]; // of the flame graph, in the order in which they were made
  tint: Tint;
  lanes: "state" | "code";
  depth: number;
  folded: string[] | null; // rows of threads, by key, in alphabetical order; null: as at first
  pinned: string[]; // likewise
  tracks: boolean; // metrics below the threads
  finding: number; // −1: none
  theme: "" | "dark" | "light";
  colours: "" | "cvd"; // cvd: distinct for every kind of colour vision
  metric: Metric; // that the views below show
}

type Listener = (view: View, changed: Set<keyof View>) => void;

export class Store {
  private listeners: Listener[] = [];
  private pending = new Set<keyof View>();
  private scheduled = false;

  constructor(
    readonly view: View,
    private full: [number, number],
    private events: string[],
  ) {
    addEventListener("hashchange", () => {
      if (location.hash.slice(1) !== this.written) {
        this.set(this.read());
      }
    });
  }

  private written = "";
  private writing = 0;

  listen(listener: Listener) {
    this.listeners.push(listener);
  }

  // Takes effect on the next frame; several calls make one drawing.
  set(change: Partial<View>) {
    for (const key of Object.keys(change) as (keyof View)[]) {
      if (JSON.stringify(this.view[key]) !== JSON.stringify(change[key])) {
        (this.view as any)[key] = change[key];
        this.pending.add(key);
      }
    }
    if (this.pending.size) {
      this.schedule();
    }
  }

  redraw() {
    this.pending.add("theme");
    this.schedule();
  }

  private schedule() {
    if (this.scheduled) {
      return;
    }
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      const changed = this.pending;
      this.pending = new Set();
      for (const listener of this.listeners) {
        listener(this.view, changed);
      }
      clearTimeout(this.writing);
      this.writing = window.setTimeout(() => {
        this.writing = 0;
        this.write();
      }, 250);
    });
  }

  get isBusy(): boolean {
    return this.scheduled || this.writing !== 0;
  }

  look(from: number, to: number) {
    const [low, high] = this.full;
    const least = 1000;
    let span = Math.min(Math.max(to - from, least), high - low);
    let begin = from + (to - from - span) / 2;
    begin = Math.min(Math.max(begin, low), high - span);
    this.set({ from: begin, to: begin + span });
  }

  zoom(factor: number, around: number) {
    const { from, to } = this.view;
    const [low, high] = this.full;
    const span = Math.min(Math.max((to - from) * factor, 1000), high - low);
    const share = (around - from) / (to - from);
    this.look(around - span * share, around + span * (1 - share));
  }

  pan(share: number) {
    const { from, to } = this.view;
    const [low, high] = this.full;
    const by = Math.min(Math.max((to - from) * share, low - from), high - to);
    this.set({ from: from + by, to: to + by });
  }

  all() {
    this.set({ from: this.full[0], to: this.full[1] });
  }

  write() {
    const { view } = this;
    const parts: string[] = [];
    const put = (key: string, value: string | number) => parts.push(`${key}=${encodeURIComponent(value)}`);
    if (view.from !== this.full[0] || view.to !== this.full[1]) {
      put("t", `${Math.round(view.from)}-${Math.round(view.to)}`);
    }
    if (view.brush) {
      put("brush", view.brush.map(Math.round).join("-"));
    }
    if (view.threads) {
      put("threads", view.threads.join("."));
    }
    if (view.order !== "path") {
      put("rows", view.order);
    }
    if (view.space) {
      put("space", view.space);
    }
    if (view.find) {
      put("find", view.find);
    }
    if (view.tab !== "paths") {
      put("tab", view.tab);
    }
    if (view.flame !== "heavy") {
      put("flame", view.flame);
    }
    if (view.edits.length) {
      put("edits", view.edits.map(({ how, fn }) => `${how}-${fn}`).join("."));
    }
    if (view.tint !== "state") {
      put("tint", this.events[view.tint]);
    }
    if (view.lanes !== "state") {
      put("lanes", `${view.lanes}.${view.depth}`);
    }
    if (view.folded) {
      put("folded", view.folded.join(".") || "none");
    }
    if (view.pinned.length) {
      put("pinned", view.pinned.join("."));
    }
    if (!view.tracks) {
      put("tracks", "off");
    }
    if (view.finding >= 0) {
      put("finding", view.finding + 1);
    }
    if (view.metric !== "processor") {
      put("metric", typeof view.metric === "number" ? `event.${this.events[view.metric]}` : view.metric);
    }
    if (view.colours) {
      put("colours", view.colours);
    }
    if (view.theme) {
      put("theme", view.theme);
    }
    const hash = parts.join("&");
    if (hash !== this.written) {
      this.written = hash;
      history.replaceState(null, "", `#${hash}`);
    }
  }

  // From the address; whatever its contents, the result is a valid view.
  read(): View {
    const given = new URLSearchParams(location.hash.slice(1));
    const pair = (text: string | null): [number, number] | null => {
      const [low, high] = (text ?? "").split("-").map(Number);
      const [least, most] = this.full;
      return low < high && low < most && high > least ? [Math.max(low, least), Math.min(high, most)] : null;
    };
    const among = <T extends string>(text: string | null, values: readonly T[]): T =>
      values.includes(text as T) ? (text as T) : values[0];
    const [from, to] = pair(given.get("t")) ?? this.full;
    const threads = (given.get("threads") ?? "")
      .split(".")
      .filter((text) => /^\d+$/.test(text))
      .map(Number);
    const rows = (text: string | null) =>
      [...new Set((text ?? "").split(".").filter((key) => /^([tp]\d{1,7}|short)$/.test(key)))].sort();
    const event = this.events.indexOf(given.get("tint") ?? "");
    const [lanes, depth] = (given.get("lanes") ?? "").split(".");
    const finding = Number(given.get("finding") ?? 0);
    return {
      from,
      to,
      brush: pair(given.get("brush")),
      threads: threads.length ? threads : null,
      order: among(given.get("rows"), ["path", "address", "function"]),
      space: given.get("space") ?? "",
      find: (given.get("find") ?? "").slice(0, 200),
      tab: among(given.get("tab"), kTabs),
      flame: among(given.get("flame"), kFlames),
      edits: [...(given.get("edits") ?? "").matchAll(/(?:^|\.)(hide|merge)-(\d{1,7})(?=\.|$)/g)].map(([, how, fn]) => ({
        how: how as FlameEdit["how"],
        fn: Number(fn),
      })),
      tint: event >= 0 ? event : "state",
      lanes: among(lanes, ["state", "code"]),
      depth: Math.min(Math.max(Number(depth) || 1, 1), 200),
      folded: given.has("folded") ? rows(given.get("folded")) : null,
      pinned: rows(given.get("pinned")),
      tracks: given.get("tracks") !== "off",
      finding: Number.isInteger(finding) ? finding - 1 : -1,
      colours: among(given.get("colours"), ["", "cvd"]),
      theme: among(given.get("theme"), ["", "dark", "light"]),
      metric: this.metric(given.get("metric") ?? ""),
    };
  }

  private metric(text: string): Metric {
    const event = text.startsWith("event.") ? this.events.indexOf(text.slice(6)) : -1;
    const times: TimeMetric[] = ["processor", "wall", "waiting"];
    return event >= 0 ? event : (times.find((time) => time === text) ?? "processor");
  }

  static start(full: [number, number], events: string[]): Store {
    const store = new Store({} as View, full, events);
    Object.assign(store.view, store.read());
    store.written = location.hash.slice(1);
    return store;
  }
}
