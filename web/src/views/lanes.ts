// Threads over time: what each did (by state), or which function it was in at a chosen depth; who waited for whom.
import { firstAfter } from "../data/level";
import { foldedAtFirst, LaneRow, laneRows, processName, processTitle } from "../data/lanerows";
import { Matrix } from "../data/matrix";
import { kChannels, Raster } from "../data/sums";
import { shortName } from "../format";
import { Colour, css, kChannelTitles, nameColour } from "../draw/palette";
import { h, replace, tip } from "../draw/dom";
import { Pixels } from "../draw/pixels";
import { rem, Surface } from "../draw/surface";
import { duration, moment, percent } from "../format";
import { View } from "../state";
import { Changed, Context, ViewPart } from "./context";
import { drawArrows } from "./arrows";
import { drawBrush } from "./brush";
import { takeTimeInput } from "./timeinput";

const kFewRows = 256;
const kInCode = [true, true, true, false, false, false, true]; // by state: ready threads are somewhere, too

export class Lanes implements ViewPart {
  readonly element: HTMLElement;
  private names = h("div", { class: "rows lanes", role: "listbox", "aria-label": "threads", "aria-multiselectable": "true" });
  private picture = h("div", { class: "picture" });
  private scroll = h("div", { class: "scroll" });
  private surface: Surface;
  private pixels = new Pixels();
  private matrix = new Matrix();
  private made: Raster | null = null;
  private height = 18;
  private folded: Set<number>;
  private rows: LaneRow[] = [];
  private rowOf: Int32Array = new Int32Array(0);
  private seen: [number, number] = [0, 0]; // rows that are drawn
  private arranged = 0; // how often rows were made anew
  private codeOf: { depth: number; node: Uint32Array } | null = null;

  constructor(private context: Context) {
    this.folded = foldedAtFirst(context.model);
    this.arrange();
    replace(this.scroll, this.names, this.picture);
    this.element = h("section", { class: "threads", "aria-label": "threads over time" }, this.scroll);
    this.surface = new Surface(this.picture, "what each thread did over time", () => this.resized(), this.scroll);
    takeTimeInput(this.picture, {
      store: context.store,
      left: () => 0,
      width: () => this.surface.width,
      click: (event) => this.toggle(this.rowAt(event), event.ctrlKey || event.metaKey),
      hover: (event, time) => this.hover(event, time),
      leave: () => tip.hide(),
    });
  }

  update(_: View, changed: Changed) {
    if (changed.has("threads") || changed.has("finding") || !this.names.childElementCount) {
      this.list();
    }
    this.draw();
  }

  private resized() {
    const before = this.height;
    this.fit();
    if (this.height !== before || !this.names.childElementCount) {
      this.list();
    }
    this.draw();
  }

  private fit() {
    const room = this.scroll.clientHeight || 120;
    this.height = Math.floor(Math.min(Math.max(room / Math.max(this.rows.length, 1), rem() * 0.75), rem() * 1.7));
  }

  private arrange() {
    const { rows, rowOf } = laneRows(this.context.model, this.folded);
    this.rows = rows;
    this.rowOf = rowOf;
    this.arranged++;
  }

  // How many rows there are at first, for the room that they are given.
  rowCount(): number {
    return this.rows.length;
  }

  private list() {
    const { store } = this.context;
    this.fit();
    const chosen = new Set(store.view.threads ?? []);
    replace(
      this.names,
      ...this.rows.map((row, index) =>
        this.name(
          row,
          index,
          row.threads.every((thread) => chosen.has(thread)),
        ),
      ),
    );
  }

  private name(row: LaneRow, index: number, isChosen: boolean): HTMLElement {
    const { model } = this.context;
    let on = 0;
    let life = 0;
    for (const thread of row.threads) {
      const { states } = model.threads[thread];
      on += states[0] + states[1] + (states[6] ?? 0);
      life += states.reduce((a, b) => a + b, 0);
    }
    const isProcess = row.process >= 0;
    const first = model.threads[row.threads[0]];
    const title = isProcess
      ? `${processTitle(model, row.process)}: ${row.threads.length} threads`
      : `${model.threadTitle(row.threads[0])}${first.created.length ? `\ncreated by ${first.created.join(" › ")}` : ""}${first.created_with.map((line) => `\n${line}`).join("")}`;
    const share = percent(on / (life || 1));
    return h(
      "div",
      {
        class: `row${isChosen ? " chosen" : ""}${isProcess ? " process" : ""}`,
        role: "option",
        "aria-selected": isChosen,
        tabindex: 0,
        title: `${title}\n${share} of ${isProcess ? "their lives" : "its life"} on a processor`,
        style: `height:${this.height}px;padding-left:${0.6 + row.depth * 0.8}rem;font-size:${Math.min(1, (this.height / rem()) * 0.78).toFixed(2)}rem`,
        click: (event: MouseEvent) => this.toggle(index, event.ctrlKey || event.metaKey),
        dblclick: () => this.fold(index),
        keydown: (event: KeyboardEvent) => {
          if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            this.toggle(index, event.ctrlKey);
          } else if (isProcess && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
            event.preventDefault();
            event.stopPropagation();
            this.fold(index);
          }
        },
      },
      isProcess
        ? h(
            "span",
            { class: "fold", click: (event: Event) => (event.stopPropagation(), this.fold(index)) },
            row.isFolded ? "▸" : "▾",
          )
        : null,
      isProcess
        ? h("span", { class: "name" }, processName(model, row.process), h("small", {}, ` ${model.processes[row.process].pid}`))
        : h("span", { class: "name" }, model.threadName(row.threads[0]), h("small", {}, ` ${first.tid}`)),
      h("span", { class: "share" }, share),
    );
  }

  private fold(index: number) {
    const process = this.rows[index]?.process ?? -1;
    if (process >= 0) {
      if (!this.folded.delete(process)) {
        this.folded.add(process);
      }
      this.arrange();
      this.list();
      this.draw();
    }
  }

  private toggle(index: number, adds: boolean) {
    const { store } = this.context;
    const asked = this.rows[index]?.threads;
    if (!asked) {
      return;
    }
    const now = store.view.threads ?? [];
    const has = asked.every((thread) => now.includes(thread));
    const others = now.filter((thread) => !asked.includes(thread));
    const next = adds ? (has ? others : [...others, ...asked]) : has && !others.length ? [] : asked.slice();
    store.set({ threads: next.length ? next.sort((a, b) => a - b) : null });
  }

  private rowAt(event: MouseEvent): number {
    return Math.floor((event.clientY - this.picture.getBoundingClientRect().top) / this.height);
  }

  // The wait of a thread at a moment, a row of model.waits; −1: none that is kept.
  private waitAt(thread: number, time: number): number {
    const { waits } = this.context.model;
    let found = -1;
    for (let i = waits.first[thread]; i < waits.first[thread + 1] && waits.begin[i] <= time; i++) {
      if (waits.begin[i] + waits.length[i] >= time) {
        found = i;
      }
    }
    return found;
  }

  private describeWait(wait: number): string {
    const { model } = this.context;
    const { waits } = model;
    const object = waits.objects[waits.object[wait]];
    const at = Number(object.address) ? ` 0x${BigInt(object.address).toString(16)}` : "";
    const holder = waits.holder[wait] ? `, held by ${model.threadName(waits.holder[wait] - 1)}` : "";
    return `waits ${duration(waits.length[wait])} for a ${object.kind}${object.between ? at : ""}${holder}`;
  }

  private hover(event: MouseEvent, time: number) {
    const { model, store } = this.context;
    const index = this.rowAt(event);
    const row = this.rows[index];
    const { made } = this;
    if (!row || !made || !this.isSeen(index)) {
      tip.hide();
      return;
    }
    const thread = row.process < 0 ? row.threads[0] : -1;
    const perColumn = (store.view.to - store.view.from) / made.columns;
    const column = Math.min(made.columns - 1, Math.floor((time - store.view.from) / perColumn));
    const base = ((index - this.seen[0]) * made.columns + column) * kChannels;
    const wait = thread < 0 ? -1 : this.waitAt(thread, time);
    const whole = perColumn * row.threads.length;
    tip.show(
      event,
      h("b", {}, thread < 0 ? processTitle(model, row.process) : model.threadTitle(thread)),
      h("div", {}, `at ${moment(time, perColumn)}`),
      ...kChannelTitles
        .map((words, channel) => ({ words, share: made.values[base + channel] / whole }))
        .filter((part) => part.share > 0.0005)
        .map((part) => h("div", {}, `${percent(part.share)} ${part.words}`)),
      thread < 0 ? null : h("div", { class: "path" }, this.pathAt(thread, time)),
      wait >= 0 ? h("div", {}, this.describeWait(wait)) : null,
    );
  }

  private pathAt(thread: number, time: number): string {
    const { model, store } = this.context;
    const level = this.context.level((store.view.to - store.view.from) / Math.max(this.surface.width, 1));
    let best = -1;
    for (let i = firstAfter(level, thread, time); i < level.first[thread + 1] && level.begin[i] <= time; i++) {
      if (best < 0 || level.ns[i] > level.ns[best]) {
        best = i;
      }
    }
    if (best < 0) {
      return "";
    }
    const names: string[] = [];
    for (let node = model.leafNode[level.leaf[best]]; node > 0; node = model.nodeParent[node]) {
      names.unshift(shortName(model.functions.name[model.nodeFunction[node]]));
    }
    return names.slice(-4).join(" › ");
  }

  private draw() {
    const { model, store } = this.context;
    const { view } = store;
    const palette = this.context.palette();
    const rows = this.rows.length;
    const tall = Math.max(rows * this.height, this.scroll.clientHeight);
    this.surface.begin(css(palette.ground), tall);
    const { surface } = this;
    const { pen } = surface;
    const wide = Math.max(1, Math.round(surface.width));
    const columns = view.lanes === "code" ? wide : Math.min(surface.canvas.width, 2000);
    const perColumn = (view.to - view.from) / columns;
    const level = this.context.level(perColumn);
    this.seen = this.rowsSeen();
    const [first, last] = this.seen;
    const threads = Array.from(model.threads.keys()).filter((thread) => this.isSeen(this.rowOf[thread]));
    const request = { level, from: view.from, to: view.to, columns, rows: last - first, threads, event: -1 };
    this.made = this.matrix.raster(request, this.made, `${this.arranged} ${first}`, (thread) => this.rowOf[thread] - first);
    this.addUp(this.made);
    const shown = this.rows.slice(first, last);
    if (view.lanes === "code") {
      this.drawCode(columns, perColumn);
    } else {
      const chosen = view.threads && new Set(view.threads);
      const dim = Uint8Array.from(shown, (row) => (chosen && !row.threads.some((thread) => chosen.has(thread)) ? 1 : 0));
      const full = Float32Array.from(shown, (row) => perColumn * row.threads.length);
      const paint = { palette, full, plain: new Uint8Array(shown.length), dim, tint: false, rateLow: 0, rateHigh: 1 };
      this.pixels.draw(pen, this.made, paint, 0, first * this.height, surface.width, this.height);
    }
    pen.fillStyle = css(palette.ground);
    for (let row = first + 1; row <= last; row++) {
      pen.fillRect(0, row * this.height - 1, surface.width, this.height > 10 ? 2 : 1);
    }
    drawArrows(this.context, surface, this.rowOf, this.height);
    drawBrush(surface, palette, view);
  }

  // The rows that are in view, or all where they are few: [first, last).
  private rowsSeen(): [number, number] {
    if (this.rows.length <= kFewRows) {
      return [0, this.rows.length];
    }
    const first = Math.max(0, Math.floor(this.surface.top / this.height));
    return [first, Math.min(this.rows.length, Math.ceil(this.surface.bottom / this.height) + 1)];
  }

  private isSeen(row: number): boolean {
    return row >= this.seen[0] && row < this.seen[1];
  }

  // An open process's row holds the rows of its threads.
  private addUp(made: Raster) {
    const size = made.columns * kChannels;
    this.rows.forEach((row, index) => {
      if (row.process < 0 || row.isFolded || !this.isSeen(index)) {
        return;
      }
      const first = this.seen[0];
      const sum = made.values.subarray((index - first) * size, (index - first + 1) * size);
      for (const thread of row.threads.filter((one) => this.isSeen(this.rowOf[one]))) {
        const at = (this.rowOf[thread] - first) * size;
        for (let i = 0; i < size; i++) {
          sum[i] += made.values[at + i];
        }
      }
    });
  }

  // Leaf → the call node at the chosen depth on its path.
  private nodesAtDepth(depth: number): Uint32Array {
    const { model } = this.context;
    if (this.codeOf?.depth !== depth) {
      const node = Uint32Array.from(model.leafNode);
      for (let leaf = 0; leaf < node.length; leaf++) {
        while (model.nodeDepth[node[leaf]] > depth) {
          node[leaf] = model.nodeParent[node[leaf]];
        }
      }
      this.codeOf = { depth, node };
    }
    return this.codeOf.node;
  }

  // Each thread in the colour of the function that it was in for most of a column.
  private drawCode(columns: number, perColumn: number) {
    const { model, store } = this.context;
    const { view } = store;
    const palette = this.context.palette();
    const { pen } = this.surface;
    const nodeOf = this.nodesAtDepth(view.depth);
    const level = this.context.level(perColumn);
    const colours = new Map<number, Colour>();
    const most = new Float64Array(columns);
    const node = new Int32Array(columns);
    for (let row = this.seen[0]; row < this.seen[1]; row++) {
      if (this.rows[row].process >= 0) {
        continue; // its threads are in several places
      }
      const thread = this.rows[row].threads[0];
      most.fill(0);
      node.fill(-1);
      for (let i = firstAfter(level, thread, view.from); i < level.first[thread + 1] && level.begin[i] < view.to; i++) {
        const length = level.length ? level.length[i] : level.width;
        const first = Math.max(0, Math.floor((level.begin[i] - view.from) / perColumn));
        const last = Math.min(columns - 1, Math.floor((level.begin[i] + length - view.from - 1) / perColumn));
        for (let column = first; column <= last; column++) {
          if (level.ns[i] > most[column]) {
            most[column] = level.ns[i];
            node[column] = kInCode[level.state[i]] ? nodeOf[level.leaf[i]] : -2;
          }
        }
      }
      for (let column = 0; column < columns; ) {
        let end = column + 1;
        while (end < columns && node[end] === node[column]) {
          end++;
        }
        if (node[column] !== -1) {
          let colour = node[column] === -2 ? palette.channels[4] : colours.get(node[column]);
          if (!colour) {
            colour = nameColour(model.functions.name[model.nodeFunction[node[column]]], palette.dark);
            colours.set(node[column], colour);
          }
          pen.fillStyle = css(colour, node[column] === -2 ? 0.3 : 1);
          pen.fillRect(column, row * this.height, end - column, this.height);
          if (node[column] >= 0 && end - column > 50 && this.height >= rem()) {
            pen.fillStyle = palette.dark ? "#000" : "#111";
            pen.font = `${rem() * 0.8}px system-ui, sans-serif`;
            pen.textBaseline = "middle";
            const name = shortName(model.functions.name[model.nodeFunction[node[column]]]);
            if (pen.measureText(name).width < end - column - 6) {
              pen.fillText(name, column + 4, row * this.height + this.height / 2);
            }
          }
        }
        column = end;
      }
    }
  }
}
