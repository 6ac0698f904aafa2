// Call paths of the brushed region as a flame graph. A click chooses the space everywhere; a double click, or Enter,
// spreads a frame over the whole width, and Esc goes back. Arrows move the focus, which a line of words describes.
import { leafValues, metricValue, metricWords, nodeSums } from "../data/calltree";
import { findFunctions } from "../data/find";
import { EditedTree, editTree, Frame, inverted, sandwich, timeOrder, topDown } from "../data/frames";
import { h, tip } from "../draw/dom";
import { css, frameColour } from "../draw/palette";
import { fitted, font, rem, Surface } from "../draw/surface";
import { duration, moment, percent, shortName } from "../format";
import { View } from "../state";
import { anyOf, Changed, Context, ViewPart } from "./context";
import { FlameBar } from "./flame_bar";
import { Box, layOut, nextBox } from "./flame_boxes";

// A frame by its root's number and the functions from there, and where they begin: frames are rebuilt whenever the region
// changes.
type Path = { isCaller: boolean; root: number; steps: [fn: number, begin: number][] };

const kMostStacked = 8; // threads in time order; of more, the busiest

export class Flame implements ViewPart {
  readonly element: HTMLElement;
  private surface: Surface;
  private holder = h("div", {
    class: "flame",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "flame graph",
    "aria-label": "flame graph: arrows move, Enter spreads, Esc goes back",
  });
  private scroll = h("div", { class: "flame-scroll" }, this.holder);
  private bar: FlameBar;
  private boxes: Box[] = [];
  private roots: Frame[] = []; // callees, or all; in time order one a thread, drawn one below the other
  private threads: number[] = []; // of the roots in time order
  private callers: Frame | null = null; // of a sandwich
  private focus: Path | null = null;
  private zoomed: Frame | null = null;
  private zoomedPath: Path | null = null;
  private back: (() => void)[] = [];
  private all = 0; // cost of the whole region

  constructor(private context: Context) {
    this.bar = new FlameBar(context, () => this.focused()?.fn ?? -1);
    this.element = h("div", { class: "panel flames" }, this.bar.element, this.scroll);
    this.surface = new Surface(this.holder, "call paths; width is cost", () => this.draw(), this.scroll);
    this.holder.addEventListener("mousemove", (event) => this.hover(event));
    this.holder.addEventListener("mouseleave", () => tip.hide());
    this.holder.addEventListener("click", (event) => {
      const box = this.boxAt(event);
      this.focus = box ? this.pathOf(box.frame) : null;
      this.choose(box?.frame ?? null);
      this.tell();
      this.draw();
    });
    this.holder.addEventListener("dblclick", (event) => {
      const box = this.boxAt(event);
      if (box) {
        this.zoom(box.frame);
      }
    });
    this.holder.addEventListener("keydown", (event) => this.key(event));
    this.holder.addEventListener("focus", () => this.tell());
  }

  update(view: View, changed: Changed) {
    if (anyOf(changed, "flame")) {
      this.back = [];
      this.focus = this.zoomed = this.zoomedPath = null;
      this.scroll.scrollTop = 0;
    }
    this.bar.update(view);
    this.make(view);
    this.tell();
    this.draw();
  }

  private make(view: View) {
    const { model } = this.context;
    const values = leafValues(this.context.region(), view.metric);
    const tree = editTree(model, nodeSums(model, values).self, view.edits);
    this.all = values.reduce((sum, value) => sum + value, 0);
    this.callers = null;
    switch (view.flame) {
      case "heavy":
        this.roots = [topDown(tree)];
        break;
      case "inverted":
        this.roots = [inverted(tree)];
        break;
      case "time": {
        const [from, to] = this.context.regionBounds();
        const level = this.context.level((to - from) / 1000);
        this.threads = this.stacked();
        this.roots = this.threads.map((thread) => timeOrder(model, tree, { level, thread, from, to, metric: view.metric }));
        break;
      }
      case "sandwich": {
        const made = sandwich(tree, this.middle(tree));
        this.roots = [made.callees];
        this.callers = made.callers;
      }
    }
    this.zoomed = this.zoomedPath && this.find(this.zoomedPath);
  }

  // In time order: of the chosen threads, those that lived longest on processors.
  private stacked(): number[] {
    const busy = (thread: number) =>
      this.context.model.threads[thread].states.reduce((sum, ns, at) => (at < 2 ? sum + ns : sum), 0);
    const all = this.context.threads();
    const busiest = all.slice().sort((a, b) => busy(b) - busy(a) || a - b);
    const shown = new Set(busiest.slice(0, kMostStacked));
    return all.filter((thread) => shown.has(thread));
  }

  private stackWords(): string {
    const all = this.context.threads().length;
    const shown = this.threads.length;
    if (shown < all) {
      return `the ${shown} busiest of ${all} threads, one below the other; choose others above`;
    }
    return shown === 1 ? `${this.context.model.threadName(this.threads[0])} alone` : `${shown} threads, one below the other`;
  }

  // For a sandwich: the chosen space's function, or the one with most cost of its own.
  private middle(tree: EditedTree): number {
    const selected = this.context.selected();
    const chosen = selected ? this.context.tree().fn[selected.node] : -1;
    if (chosen >= 0) {
      return chosen;
    }
    return inverted(tree).children[0]?.fn ?? 0;
  }

  // ---- what has the focus ----

  private isCaller(frame: Frame): boolean {
    return rootOf(frame) === this.callers;
  }

  private pathOf(frame: Frame): Path {
    const steps: Path["steps"] = [];
    for (let at = frame; at.parent; at = at.parent) {
      steps.unshift([at.fn, at.begin]);
    }
    return { isCaller: this.isCaller(frame), root: Math.max(0, this.roots.indexOf(rootOf(frame))), steps };
  }

  private find(path: Path): Frame | null {
    let frame: Frame | null = path.isCaller ? this.callers : (this.roots[path.root] ?? null);
    for (const [fn, begin] of path.steps) {
      const apart = (one: Frame) => Math.abs(one.begin - begin);
      const same: Frame[] = frame?.children.filter((child) => child.fn === fn) ?? [];
      frame = same.length ? same.reduce((a, b) => (apart(b) < apart(a) ? b : a)) : null;
    }
    return frame;
  }

  private focused(): Frame | null {
    return this.focus && this.find(this.focus);
  }

  private focusedBox(): Box | undefined {
    const frame = this.focused();
    return frame ? (this.boxes.find((box) => box.frame === frame) ?? this.boxes[0]) : undefined;
  }

  private words(frame: Frame): string {
    const { model, store } = this.context;
    const { metric, flame } = store.view;
    const words = [
      `${this.name(frame)}: ${metricValue(metric, frame.value)}, ${percent(frame.value / this.all)} of the region's ${metricWords(model, metric)}`,
      frame.self > 0 && flame !== "inverted" && !this.isCaller(frame) ? `${metricValue(metric, frame.self)} in it itself` : "",
      flame === "time" ? `at ${moment(frame.begin, frame.span / 100)} for ${duration(frame.span)}` : "",
      frame.children.length
        ? `${frame.children.length} ${flame === "inverted" || this.isCaller(frame) ? "caller" : "callee"}${frame.children.length > 1 ? "s" : ""}`
        : "",
    ];
    return words.filter(Boolean).join("; ");
  }

  private tell() {
    const { flame } = this.context.store.view;
    const frame = this.focused();
    const of = flame === "time" ? this.stackWords() : "";
    this.bar.words.textContent = frame ? this.words(frame) : of;
    this.bar.words.title = this.bar.words.textContent;
  }

  private key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const box = this.focusedBox();
    if (event.key.startsWith("Arrow")) {
      const start = this.boxes.find((one) => one.frame === this.roots[0]);
      const next = box ? nextBox(this.boxes, box, event.key) : start;
      if (next) {
        this.focus = this.pathOf(next.frame);
        this.tell();
        this.draw();
        const top = next.row * this.rowHeight();
        const { scrollTop, clientHeight } = this.scroll;
        this.scroll.scrollTop = Math.min(Math.max(scrollTop, top + 2 * this.rowHeight() - clientHeight), Math.max(0, top));
      }
    } else if (event.key === "Enter" && box) {
      this.zoom(box.frame);
    } else if (event.key === " " && box) {
      this.choose(box.frame);
    } else if (event.key === "Escape" && this.back.length) {
      this.back.pop()!();
    } else if ((event.key === "h" || event.key === "j") && box) {
      this.bar.edit(event.key === "h" ? "hide" : "merge");
    } else if (event.key === "u") {
      this.bar.undo();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // In a sandwich, another function becomes the middle.
  private zoom(frame: Frame) {
    const { store } = this.context;
    if (store.view.flame === "sandwich") {
      const { order, space } = store.view;
      this.back.push(() => store.set({ order, space }));
      this.focus = { isCaller: false, root: 0, steps: [] };
      this.choose(frame);
      return;
    }
    const before = this.zoomedPath;
    const set = (path: Path | null) => {
      this.zoomedPath = path;
      this.zoomed = path && this.find(path);
      this.draw();
    };
    this.back.push(() => set(before));
    set(frame === this.zoomed ? null : this.pathOf(frame));
  }

  private choose(frame: Frame | null) {
    const { store } = this.context;
    const isByFunction = store.view.flame === "inverted" || store.view.flame === "sandwich";
    if (isByFunction && frame && (frame.parent || this.callers)) {
      store.set({ order: "function", space: `f${frame.fn}` });
    } else {
      store.set({ order: "path", space: frame?.node ? `c${frame.node}` : "" });
    }
  }

  // ---- drawing ----

  private boxAt(event: MouseEvent): Box | undefined {
    const bounds = this.holder.getBoundingClientRect();
    const row = Math.floor((event.clientY - bounds.top) / this.rowHeight());
    const x = event.clientX - bounds.left;
    return this.boxes.find((box) => box.row === row && box.x <= x && x < box.x + box.width);
  }

  private rowHeight(): number {
    return Math.round(rem() * 1.4);
  }

  private isAll(frame: Frame): boolean {
    return !frame.parent && !this.callers;
  }

  private name(frame: Frame): string {
    const { model, store } = this.context;
    if (!this.isAll(frame)) {
      return model.functions.name[frame.fn];
    }
    return store.view.flame === "time" ? model.threadTitle(this.threads[this.roots.indexOf(frame)]) : "all";
  }

  private label(frame: Frame): string {
    const isFrame = this.context.model.nodeKind[frame.node] >> 1 === 0;
    return isFrame ? shortName(this.name(frame)) : this.name(frame);
  }

  private hover(event: MouseEvent) {
    const box = this.boxAt(event);
    if (!box) {
      tip.hide();
      return;
    }
    const { model, store } = this.context;
    const { node } = box.frame;
    const [name, ...more] = this.words(box.frame)
      .slice(this.name(box.frame).length + 2)
      .split("; ");
    tip.show(
      event,
      h("b", {}, this.name(box.frame)),
      h("div", {}, name),
      ...more.map((words) => h("div", {}, words)),
      h("div", {}, `${model.place(model.nodeFile[node], model.nodeLine[node])}${model.nodeKind[node] & 1 ? " (inlined)" : ""}`),
      h(
        "div",
        { class: "path" },
        `click: choose · double click: ${store.view.flame === "sandwich" ? "its sandwich" : "spread"}`,
      ),
    );
  }

  private placeBoxes(width: number) {
    const { begin, span } = this.zoomed ?? this.roots[0];
    let row = 0;
    this.boxes = this.roots.flatMap((root) => {
      const boxes = layOut(root, { begin, span, width }, row, 1);
      row = boxes.reduce((most, box) => Math.max(most, box.row + 1), row);
      return boxes;
    });
    if (this.callers) {
      const above = layOut(this.callers, { begin: 0, span: this.callers.span, width }, 0, -1).filter((box) => box.row < 0);
      this.boxes.push(...above);
      const top = above.reduce((least, box) => Math.min(least, box.row), 0);
      this.boxes.forEach((box) => (box.row -= top));
    }
  }

  private draw() {
    const { model, store } = this.context;
    const palette = this.context.palette();
    if (!this.roots.length) {
      return;
    }
    this.placeBoxes(this.holder.clientWidth);
    const height = this.rowHeight();
    const deepest = this.boxes.reduce((most, box) => Math.max(most, box.row), 0);
    this.surface.begin(css(palette.ground), Math.max((deepest + 1) * height + 4, (this.scroll.clientHeight || 100) - 4));
    const { pen } = this.surface;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.font = font(0.85);
    if (!this.roots.some((root) => root.value > 0)) {
      this.boxes = [];
      pen.fillStyle = palette.faint;
      pen.fillText(
        this.callers ? "The chosen function was not measured in this region." : "Nothing was measured in this region.",
        rem(),
        rem() * 2,
      );
      return;
    }
    const isFaint = this.faint();
    const waits = store.view.metric === "waiting";
    const focused = this.focusedBox();
    for (const box of this.boxes) {
      const { frame, row, x, width, skipped } = box;
      if ((row + 1) * height < this.surface.top || row * height > this.surface.bottom) {
        continue;
      }
      const isOwn = model.isOwn(frame.fn) && !this.isAll(frame) && !skipped;
      const colour = frameColour(skipped ? "" : this.name(frame), waits ? "waiting" : isOwn ? "own" : "library", palette.dark);
      const isDim = isFaint(frame, skipped);
      pen.fillStyle = css(colour, isDim ? 0.35 : 1);
      pen.fillRect(x, row * height, Math.max(width - 1, 0.4), height - 1);
      if (width > 28) {
        pen.fillStyle = isDim ? palette.faint : palette.dark ? "#0b0d12" : "#111";
        const text = skipped ? `⋯ ${skipped} more` : this.label(frame);
        pen.fillText(fitted(pen, text, width - 8), x + 4, row * height + height / 2);
      }
      if (box === focused) {
        pen.strokeStyle = palette.mark;
        pen.lineWidth = 2;
        pen.strokeRect(x + 1, row * height + 1, Math.max(width - 3, 2), height - 3);
      }
    }
  }

  // Matches of a search are not faint, else chosen frames.
  private faint(): (frame: Frame, skipped: number) => boolean {
    const { model, store } = this.context;
    const { find } = store.view;
    if (find) {
      const found = findFunctions(model, find);
      return (frame, skipped) => skipped > 0 || this.isAll(frame) || !found[frame.fn];
    }
    const selected = this.context.selected();
    if (!selected || this.callers) {
      return () => false;
    }
    const isMarked = new Set<number>();
    selected.leaves.forEach((inside, leaf) => {
      for (let node = model.leafNode[leaf]; inside && node > 0 && !isMarked.has(node); node = model.nodeParent[node]) {
        isMarked.add(node);
      }
    });
    return (frame) => !this.isAll(frame) && !frame.nodes.some((node) => isMarked.has(node));
  }
}

function rootOf(frame: Frame): Frame {
  let top = frame;
  while (top.parent) {
    top = top.parent;
  }
  return top;
}
