// Keys for all actions.
import { Model } from "./data/model";
import { kTabs, Store } from "./state";

export const kKeys: [string, string][] = [
  ["← →  a d", "earlier, later"],
  ["+ −  w s", "closer, farther (also the wheel; shift and wheel move)"],
  ["0", "the whole run"],
  ["b, z", "brush what is in view; closer to the brush"],
  ["n p", "next, previous finding"],
  ["1 … 9", "call paths, functions, source, occurrences, patterns, waits, channels, heavy code, gaps"],
  ["r", "rows by call path, by function, by address"],
  ["c", "colour by what threads did, or by an event"],
  ["l", "threads: what they did, where they were"],
  ["m", "metrics over time: show, hide"],
  ["[ ]", "thread before, after; all"],
  ["/", "find: Enter the next, Shift Enter the previous, Esc leaves"],
  ["↑ ↓ ⏎", "in the rows: choose, open and close a space"],
  ["Esc", "drop the brush, then what is chosen"],
  ["t", "dark or light"],
  ["?", "these keys"],
];

interface Targets {
  findings: { findings: unknown[]; go(index: number): void };
  search(): void;
  help(): void;
  theme(): void;
  model: Model;
}

export function takeKeys(store: Store, targets: Targets) {
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) ||
      document.querySelector("dialog[open]")
    ) {
      return;
    }
    const { view } = store;
    const middle = (view.from + view.to) / 2;
    const threads = targets.model.threads.length;
    const step = (by: number) => {
      const now = view.threads?.[0] ?? (by > 0 ? -1 : threads);
      const next = now + by;
      store.set({ threads: next >= 0 && next < threads ? [next] : null });
    };
    const actions: Record<string, () => void> = {
      ArrowLeft: () => store.pan(-0.15),
      a: () => store.pan(-0.15),
      ArrowRight: () => store.pan(0.15),
      d: () => store.pan(0.15),
      "+": () => store.zoom(0.6, middle),
      "=": () => store.zoom(0.6, middle),
      w: () => store.zoom(0.6, middle),
      "-": () => store.zoom(1 / 0.6, middle),
      s: () => store.zoom(1 / 0.6, middle),
      "0": () => store.all(),
      b: () => store.set({ brush: [view.from, view.to] }),
      z: () => view.brush && store.look(view.brush[0], view.brush[1]),
      n: () => targets.findings.go(Math.min(view.finding + 1, targets.findings.findings.length - 1)),
      p: () => targets.findings.go(Math.max(view.finding - 1, 0)),
      r: () =>
        store.set({ order: view.order === "path" ? "function" : view.order === "function" ? "address" : "path", space: "" }),
      c: () => {
        const next = view.tint === "state" ? 0 : view.tint + 1;
        store.set({ tint: next < targets.model.events.length ? next : "state" });
      },
      l: () => store.set({ lanes: view.lanes === "state" ? "code" : "state" }),
      m: () => store.set({ tracks: !view.tracks }),
      "[": () => step(-1),
      "]": () => step(1),
      "/": () => targets.search(),
      Escape: () => store.set(view.brush ? { brush: null } : { space: "", threads: null, finding: -1 }),
      t: targets.theme,
      "?": targets.help,
    };
    kTabs.slice(0, 9).forEach((tab, index) => (actions[String(index + 1)] = () => store.set({ tab })));
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });
}
