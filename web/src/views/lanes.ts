// Threads over time: what each did (by state), or which function it was in at a chosen depth; who waited for whom.
import { firstAfter } from "../data/level";
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
import { drawBrush } from "./brush";
import { gutter } from "./layout";
import { takeTimeInput } from "./timeinput";

const kInCode = [true, true, true, false, false, false, true]; // by state: ready threads are somewhere, too
const kMostArrows = 400;
const kLeastArrow = 6; // px that a wait must be long to get an arrow

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
  private codeOf: { depth: number; node: Uint32Array } | null = null;

  constructor(private context: Context) {
    replace(this.scroll, this.names, this.picture);
    this.element = h("section", { class: "threads", "aria-label": "threads over time" }, this.scroll);
    this.surface = new Surface(this.picture, "what each thread did over time", () => (this.list(), this.draw()));
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

  private list() {
    const { model, store } = this.context;
    const room = this.scroll.clientHeight || 120;
    this.height = Math.floor(Math.min(Math.max(room / Math.max(model.threads.length, 1), rem() * 0.75), rem() * 1.7));
    const chosen = store.view.threads;
    this.names.style.width = `${gutter()}px`;
    replace(
      this.names,
      ...model.threads.map((thread, index) => {
        const on = thread.states[0] + thread.states[1] + (thread.states[6] ?? 0);
        const life = thread.states.reduce((a, b) => a + b, 0) || 1;
        const isChosen = chosen?.includes(index) ?? false;
        return h(
          "div",
          {
            class: `row${isChosen ? " chosen" : ""}`,
            role: "option",
            "aria-selected": isChosen,
            tabindex: 0,
            title: `${model.threadTitle(index)}\n${percent(on / life)} of its life on a processor${thread.created.length ? `\ncreated by ${thread.created.join(" › ")}` : ""}`,
            style: `height:${this.height}px;font-size:${Math.min(1, (this.height / rem()) * 0.78).toFixed(2)}rem`,
            click: (event: MouseEvent) => this.toggle(index, event.ctrlKey || event.metaKey),
            keydown: (event: KeyboardEvent) => {
              if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                this.toggle(index, event.ctrlKey);
              }
            },
          },
          h("span", { class: "name" }, model.threadName(index), h("small", {}, ` ${thread.tid}`)),
          h("span", { class: "share" }, `${percent(on / life)}`),
        );
      }),
    );
  }

  private toggle(index: number, adds: boolean) {
    const { model, store } = this.context;
    if (index < 0 || index >= model.threads.length) {
      return;
    }
    const now = store.view.threads ?? [];
    const has = now.includes(index);
    const next = adds
      ? has
        ? now.filter((thread) => thread !== index)
        : [...now, index]
      : has && now.length === 1
        ? []
        : [index];
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
    const holder = waits.holder[wait] ? `, kept by ${model.threadName(waits.holder[wait] - 1)}` : "";
    return `waits ${duration(waits.length[wait])} for a ${object.kind}${object.between ? at : ""}${holder}`;
  }

  private hover(event: MouseEvent, time: number) {
    const { model, store } = this.context;
    const thread = this.rowAt(event);
    const { made } = this;
    if (thread < 0 || thread >= model.threads.length || !made) {
      tip.hide();
      return;
    }
    const perColumn = (store.view.to - store.view.from) / made.columns;
    const column = Math.min(made.columns - 1, Math.floor((time - store.view.from) / perColumn));
    const base = (thread * made.columns + column) * kChannels;
    const wait = this.waitAt(thread, time);
    tip.show(
      event,
      h("b", {}, model.threadTitle(thread)),
      h("div", {}, `at ${moment(time, perColumn)}`),
      ...kChannelTitles
        .map((words, channel) => ({ words, share: made.values[base + channel] / perColumn }))
        .filter((part) => part.share > 0.0005)
        .map((part) => h("div", {}, `${percent(part.share)} ${part.words}`)),
      h("div", { class: "path" }, this.pathAt(thread, time)),
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
    const threads = model.threads.length;
    this.surface.begin(css(palette.ground), Math.max(threads * this.height, this.scroll.clientHeight));
    const { surface } = this;
    const { pen } = surface;
    const wide = Math.max(1, Math.round(surface.width));
    const columns = view.lanes === "code" ? wide : Math.min(wide, 2000);
    const perColumn = (view.to - view.from) / columns;
    const level = this.context.level(perColumn);
    const all = Array.from({ length: threads }, (_, thread) => thread);
    const request = { level, from: view.from, to: view.to, columns, rows: threads, threads: all, event: -1 };
    this.made = this.matrix.raster(request, this.made, "", (thread) => thread);
    const chosen = view.threads;
    if (view.lanes === "code") {
      this.drawCode(columns, perColumn);
    } else {
      const dim = Uint8Array.from(all, (thread) => (chosen && !chosen.includes(thread) ? 1 : 0));
      const full = new Float32Array(threads).fill(perColumn);
      const paint = { palette, full, plain: new Uint8Array(threads), dim, tint: false, rateLow: 0, rateHigh: 1 };
      this.pixels.draw(pen, this.made, paint, 0, 0, surface.width, this.height);
    }
    pen.fillStyle = css(palette.ground);
    for (let row = 1; row <= threads; row++) {
      pen.fillRect(0, row * this.height - 1, surface.width, this.height > 10 ? 2 : 1);
    }
    this.drawArrows();
    drawBrush(surface, palette, view);
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
    for (let thread = 0; thread < model.threads.length; thread++) {
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
          pen.fillRect(column, thread * this.height, end - column, this.height);
          if (node[column] >= 0 && end - column > 50 && this.height >= rem()) {
            pen.fillStyle = palette.dark ? "#000" : "#111";
            pen.font = `${rem() * 0.8}px system-ui, sans-serif`;
            pen.textBaseline = "middle";
            const name = shortName(model.functions.name[model.nodeFunction[node[column]]]);
            if (pen.measureText(name).width < end - column - 6) {
              pen.fillText(name, column + 4, thread * this.height + this.height / 2);
            }
          }
        }
        column = end;
      }
    }
  }

  // From who was waited for to who waited, where the wait ended.
  private drawArrows() {
    const { model, store } = this.context;
    const { waits } = model;
    const { from, to } = store.view;
    const scale = this.surface.width / (to - from);
    const shown: number[] = [];
    for (let i = 0; i < waits.begin.length; i++) {
      const end = waits.begin[i] + waits.length[i];
      if (waits.holder[i] && waits.length[i] * scale >= kLeastArrow && end >= from && end <= to) {
        shown.push(i);
      }
    }
    if (shown.length > kMostArrows) {
      shown.sort((a, b) => waits.length[b] - waits.length[a]);
      shown.length = kMostArrows;
    }
    const { pen } = this.surface;
    const palette = this.context.palette();
    pen.lineWidth = 1;
    pen.strokeStyle = pen.fillStyle = css(palette.dark ? [235, 240, 255] : [20, 30, 60], shown.length > 80 ? 0.35 : 0.75);
    for (const i of shown) {
      const x = (waits.begin[i] + waits.length[i] - from) * scale;
      const middle = (row: number) => row * this.height + this.height / 2;
      const start = middle(waits.holder[i] - 1);
      const end = middle(waits.thread[i]);
      if (start === end) {
        continue;
      }
      const direction = Math.sign(end - start);
      pen.beginPath();
      pen.arc(x, start, 2, 0, 7);
      pen.fill();
      pen.beginPath();
      pen.moveTo(x, start);
      pen.lineTo(x, end - direction * 4);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(x, end);
      pen.lineTo(x - 3, end - direction * 6);
      pen.lineTo(x + 3, end - direction * 6);
      pen.fill();
    }
  }
}
