// Code space against time: rows are spaces, brightness is time spent, colour what the threads did there or an event's rate.
import { exposure, ratesOf } from "../data/exposure";
import { Level } from "../data/level";
import { Matrix } from "../data/matrix";
import { kChannels, Raster } from "../data/sums";
import { openHottest, Order, Row, SpaceTree, visibleRows } from "../data/spaces";
import { css, kChannelTitles } from "../draw/palette";
import { drawAxis, drawGrid } from "../draw/axis";
import { FittedNames } from "../draw/cut";
import { h, replace, tip } from "../draw/dom";
import { Pixels } from "../draw/pixels";
import { Surface } from "../draw/surface";
import { compact, duration, moment, percent } from "../format";
import { View } from "../state";
import { anyOf, Changed, Context, ViewPart } from "./context";
import { drawBrush } from "./brush";
import { gutter, rowHeight } from "./layout";
import { drawMarks, FindingMark, findingMarks, markBadges } from "./marks";
import { outlineOccurrences } from "./outlines";
import { takeTimeInput } from "./timeinput";

export class Kymograph implements ViewPart {
  readonly element: HTMLElement;
  private names = h("div", { class: "rows", role: "tree", "aria-label": "code spaces", tabindex: 0 });
  private fitted = new FittedNames(this.names, ".name");
  private picture = h("div", { class: "picture" });
  private axisHolder = h("div", { class: "axis" });
  private scroll = h("div", { class: "scroll" });
  private surface: Surface;
  private axis: Surface;
  private pixels = new Pixels();
  private raster: Raster | null = null;
  private open = new Map<Order, Set<number>>();
  private rows: Row[] = [];
  private rowOf: Int32Array = new Int32Array(0);
  private leafRow: Int32Array = new Int32Array(0);
  private rowParent: number[] = [];
  private full = 1; // share of a thread that is drawn at full strength
  private treeSeen: SpaceTree | null = null;
  private matrix = new Matrix();
  private arranged = 0; // how often rows were rebuilt
  private height = rowHeight();
  private marks: FindingMark[] = [];

  constructor(private context: Context) {
    replace(this.scroll, this.names, this.picture);
    this.element = h("section", { class: "kymograph", "aria-label": "kymograph" }, this.axisHolder, this.scroll);
    this.surface = new Surface(this.picture, "time spent in each code space", () => (this.fit(), this.draw()), this.scroll);
    this.axis = new Surface(this.axisHolder, "time axis", () => this.draw());
    takeTimeInput(this.picture, {
      store: context.store,
      left: () => 0,
      width: () => this.surface.width,
      click: (event) => this.choose(this.rowAt(event)),
      hover: (event, time) => this.hover(event, time),
      leave: () => tip.hide(),
    });
    this.names.addEventListener("keydown", (event) => this.key(event));
  }

  update(_: View, changed: Changed) {
    if (this.treeSeen !== this.context.tree() || anyOf(changed, "order")) {
      this.arrange();
    } else if (anyOf(changed, "space", "threads", "find")) {
      this.reveal();
      this.list();
    }
    if (changed.size) {
      this.draw();
    }
  }

  private arrange() {
    const tree = (this.treeSeen = this.context.tree());
    if (!this.open.has(tree.order)) {
      this.open.set(tree.order, openHottest(tree, Math.max(12, Math.floor(this.scroll.clientHeight / rowHeight()) + 2)));
    }
    this.reveal();
    const { rows, rowOf } = visibleRows(tree, this.open.get(tree.order)!);
    this.rows = rows;
    this.arranged++;
    this.rowOf = rowOf;
    this.leafRow = new Int32Array(tree.leafNode.length);
    for (let leaf = 0; leaf < this.leafRow.length; leaf++) {
      this.leafRow[leaf] = rowOf[tree.leafNode[leaf]];
    }
    const last: number[] = [];
    this.rowParent = rows.map((row, index) => {
      last[row.depth] = index;
      return row.depth ? last[row.depth - 1] : -1;
    });
    this.expose();
    this.fit();
    this.list();
  }

  // Opens the nodes between the root and the selected space.
  private reveal() {
    const tree = this.context.tree();
    const open = this.open.get(tree.order);
    const selected = this.context.selected();
    if (!open || !selected) {
      return;
    }
    let isNew = false;
    for (let node = tree.parent[selected.node]; node > 0; node = tree.parent[node]) {
      isNew ||= !open.has(node);
      open.add(node);
    }
    if (isNew && this.rowOf.length) {
      this.arrange();
    }
  }

  private expose() {
    const [from, to] = this.context.model.range;
    const made = this.makeRaster(this.context.model.levels.coarsest(), from, to, 300, null, -1);
    this.full = exposure(made, (to - from) / made.columns, (row) => !this.rows[row].isOpen);
  }

  private makeRaster(level: Level, from: number, to: number, columns: number, into: Raster | null, event: number) {
    const threads = this.context.threads();
    const key = `${this.arranged} ${threads.join()}`;
    const made = this.matrix.raster(
      { level, from, to, columns, rows: this.rows.length, threads, event },
      into,
      key,
      () => this.leafRow,
    );
    // Open rows contain the rows beneath them.
    for (let row = this.rows.length - 1; row > 0; row--) {
      const parent = this.rowParent[row];
      if (parent < 0) {
        continue;
      }
      const size = columns * kChannels;
      for (let i = 0, to = parent * size, at = row * size; i < size; i++) {
        made.values[to + i] += made.values[at + i];
      }
      if (made.event) {
        for (let i = 0; i < columns; i++) {
          made.event[parent * columns + i] += made.event[row * columns + i];
        }
      }
    }
    return made;
  }

  // Rows take the available room, within limits.
  private fit() {
    const room = Math.floor(this.scroll.clientHeight / Math.max(this.rows.length, 1));
    const height = Math.min(Math.max(room, rowHeight()), Math.round(rowHeight() * 1.6));
    if (height !== this.height) {
      this.height = height;
      this.list();
    }
  }

  private list() {
    const { store } = this.context;
    const tree = this.context.tree();
    const all = tree.onProcessor[0] || 1;
    const height = this.height;
    const found = this.foundRows();
    this.marks = findingMarks(this.context, (node) => this.nearestRow(node));
    replace(
      this.names,
      ...this.rows.map((row, index) => {
        const on = tree.onProcessor[row.node];
        const isChosen = store.view.space === tree.key[row.node] && !row.isItself;
        const name = h(
          "div",
          {
            class: `row${isChosen ? " chosen" : ""}${row.isItself ? " itself" : ""}${row.isOpen ? " open" : ""}${found?.[index] ? " found" : ""}`,
            role: "treeitem",
            "aria-level": row.depth + 1,
            "aria-selected": isChosen,
            title: tree.title[row.node],
            style: `height:${height}px;padding-left:${0.3 + Math.min(row.depth, 12) * 0.7}rem`,
            click: () => this.choose(index),
            dblclick: () => this.toggle(index),
          },
          h(
            "span",
            { class: "fold", click: (event: Event) => (event.stopPropagation(), this.toggle(index)) },
            row.canOpen ? (row.isOpen ? "▾" : "▸") : "",
          ),
          h("span", { class: "name" }, row.label),
          ...markBadges(
            this.context,
            this.marks.filter((mark) => mark.row === index),
          ),
          h("span", { class: "share", title: "of the processor time" }, row.isItself ? "" : on > 0 ? percent(on / all) : "·"),
        );
        if (row.canOpen) {
          name.setAttribute("aria-expanded", String(row.isOpen));
        }
        name.style.setProperty("--share", String(row.isItself ? 0 : on / all));
        return name;
      }),
    );
    this.fitted.fit();
  }

  // By row: whether it shows a match. An open row's other matches are in the rows beneath it.
  private foundRows(): Uint8Array | null {
    const found = this.context.found();
    const rowOfNode = new Map(this.rows.flatMap((row, index) => (row.isItself ? [] : [[row.node, index] as const])));
    const isFound = new Uint8Array(this.rows.length);
    for (const node of found ?? []) {
      const row = rowOfNode.get(node) ?? this.rowOf[node];
      if (row >= 0) {
        isFound[row] = 1;
      }
    }
    return found && isFound;
  }

  // The row of a space, or of the nearest one around it that has one.
  private nearestRow(node: number): number {
    const tree = this.context.tree();
    for (let at = node; at > 0; at = tree.parent[at]) {
      const row = this.rows.findIndex((one) => one.node === at && !one.isItself);
      if (row >= 0) {
        return row;
      }
      if (this.rowOf[at] >= 0 && !this.rows[this.rowOf[at]].isOpen) {
        return this.rowOf[at];
      }
    }
    return -1;
  }

  private toggle(index: number) {
    const row = this.rows[index];
    const open = this.open.get(this.context.tree().order)!;
    if (!row?.canOpen) {
      return;
    }
    if (open.has(row.node)) {
      open.delete(row.node);
    } else {
      open.add(row.node);
    }
    this.arrange();
    this.draw();
  }

  private choose(index: number) {
    const tree = this.context.tree();
    const row = this.rows[index];
    const key = row ? tree.key[row.node] : "";
    this.context.store.set({ space: this.context.store.view.space === key ? "" : key });
  }

  private key(event: KeyboardEvent) {
    const tree = this.context.tree();
    const at = this.rows.findIndex((row) => tree.key[row.node] === this.context.store.view.space && !row.isItself);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      let next = at < 0 ? 0 : at + step;
      while (this.rows[next]?.isItself) {
        next += step;
      }
      if (this.rows[next]) {
        this.context.store.set({ space: tree.key[this.rows[next].node] });
        this.names.children[next]?.scrollIntoView({ block: "nearest" });
      }
    } else if ((event.key === "ArrowRight" || event.key === "ArrowLeft" || event.key === "Enter") && at >= 0) {
      if (event.key === "Enter" || (event.key === "ArrowRight") !== this.rows[at].isOpen) {
        this.toggle(at);
      }
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private rowAt(event: MouseEvent): number {
    return Math.floor((event.clientY - this.picture.getBoundingClientRect().top) / this.height);
  }

  private hover(event: MouseEvent, time: number) {
    const index = this.rowAt(event);
    const row = this.rows[index];
    const made = this.raster;
    if (!row || !made || index >= made.rows) {
      tip.hide();
      return;
    }
    const { model, store } = this.context;
    const { from, to } = store.view;
    const tree = this.context.tree();
    const perColumn = (to - from) / made.columns;
    const column = Math.min(made.columns - 1, Math.floor((time - from) / perColumn));
    const base = (index * made.columns + column) * kChannels;
    const parts = kChannelTitles
      .map((words, channel) => ({ words, share: made.values[base + channel] / perColumn }))
      .filter((part) => part.share > 0.0005);
    const tint = store.view.tint;
    const sum = parts.reduce((all, part) => all + part.share, 0) * perColumn;
    tip.besideRow(
      event,
      this.picture.getBoundingClientRect().top + index * this.height,
      this.height,
      h("b", {}, row.isItself ? `${tree.title[row.node]} ${row.label}` : tree.title[row.node]),
      h("div", {}, `at ${moment(time, perColumn)}, over ${duration(perColumn)}`),
      ...parts.map((part) => h("div", {}, `${percent(part.share)} of a thread ${part.words}`)),
      parts.length ? null : h("div", {}, "nothing here"),
      typeof tint === "number" && sum > 0 && made.event
        ? h("div", {}, `${compact((made.event[index * made.columns + column] / sum) * 1e6)} ${model.events[tint]} a ms`)
        : null,
    );
  }

  private draw() {
    if (!this.rows.length && this.treeSeen) {
      this.surface.begin(css(this.context.palette().ground), Math.max(this.scroll.clientHeight, 40));
      return;
    }
    if (!this.treeSeen) {
      return;
    }
    const { store } = this.context;
    const { view } = store;
    const palette = this.context.palette();
    const height = this.height;
    this.axis.begin(css(palette.ground));
    drawAxis(this.axis, palette, view.from, view.to, gutter(), 0, this.axis.height);
    const tall = Math.max(this.rows.length * height, this.scroll.clientHeight);
    this.surface.begin(css(palette.ground), tall);
    const { surface } = this;
    const { pen } = surface;
    const columns = Math.max(1, Math.min(surface.canvas.width, 2000));
    const perColumn = (view.to - view.from) / columns;
    const event = typeof view.tint === "number" ? view.tint : -1;
    const made = (this.raster = this.makeRaster(
      this.context.level(perColumn),
      view.from,
      view.to,
      columns,
      this.raster,
      event,
    ));
    const rows = this.rows.length;
    const selected = this.context.selected();
    const tree = this.context.tree();
    const inside = (node: number) => {
      for (let at = node; at >= 0 && selected; at = tree.parent[at]) {
        if (at === selected.node) {
          return true;
        }
      }
      return !selected;
    };
    const holds = (node: number) => {
      for (let at = selected ? selected.node : -1; at >= 0; at = tree.parent[at]) {
        if (at === node) {
          return true;
        }
      }
      return false;
    };
    const found = this.foundRows();
    const [rateLow, rateHigh] = event >= 0 ? ratesOf(made) : [0, 1];
    this.pixels.draw(
      pen,
      made,
      {
        palette,
        full: Float32Array.from(this.rows, (row) => (row.isOpen ? this.context.threads().length : this.full) * perColumn),
        plain: Uint8Array.from(this.rows, (row) => (row.isOpen ? 1 : 0)),
        dim: Uint8Array.from(this.rows, (row, index) => ((found ? found[index] : inside(row.node) || holds(row.node)) ? 0 : 1)),
        tint: event >= 0,
        rateLow,
        rateHigh,
      },
      0,
      0,
      surface.width,
      height,
    );
    drawGrid(surface, palette, view.from, view.to, 0, 0, 0);
    pen.fillStyle = css(palette.ground, 0.9);
    for (let row = 1; row <= rows; row++) {
      pen.fillRect(0, row * height - 1, surface.width, 1);
    }
    drawMarks(this.context, pen, surface.width, this.marks, height);
    outlineOccurrences(this.context, pen, surface.width, (node) => this.rowOf[node], height);
    drawBrush(surface, palette, view);
  }
}
