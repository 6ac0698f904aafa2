// Threads over time: what each did (by state), or which function it was in at a chosen depth; and waits between them.
import { firstAfter } from "../data/level";
import { foldedAtFirst, LaneRow, laneRows, LaneRows } from "../data/lanerows";
import { LaneTimes } from "../data/lanetimes";
import { count, shortName } from "../format";
import { css, kChannelTitles } from "../draw/palette";
import { FittedNames } from "../draw/cut";
import { h, replace, tip } from "../draw/dom";
import { Pixels } from "../draw/pixels";
import { rem, Surface } from "../draw/surface";
import { duration, moment, percent } from "../format";
import { View } from "../state";
import { anyOf, Changed, Context, ViewPart } from "./context";
import { drawArrows, drawFlows } from "./arrows";
import { drawBrush } from "./brush";
import { LaneCode } from "./lanecode";
import { laneLabel, laneTitle } from "./lanelabels";
import { takeTimeInput } from "./timeinput";

const kFewRows = 256;
const kMostRows = 1000; // of more, some are left out
const kMostKept = 100; // chosen threads that are never left out
const kLeastRow = 1.25; // rem

export class Lanes implements ViewPart {
  readonly element: HTMLElement;
  private names = h("div", { class: "rows lanes", role: "listbox", "aria-label": "threads", "aria-multiselectable": "true" });
  private fitted = new FittedNames(this.names, ".name:not(.numbered), .numbered > span");
  private picture = h("div", { class: "picture" });
  private scroll = h("div", { class: "scroll" });
  private surface: Surface;
  private pixels = new Pixels();
  private code: LaneCode;
  private times = new LaneTimes();
  private pinnedTimes = new LaneTimes(); // of the pinned rows, where they are drawn again above scrolled ones
  private leftOut = h("div", { class: "left-out", role: "status" });
  private height = 18;
  private flipped = ""; // key of the row that was folded or pinned just now: it has the focus again
  private showsAll = false;
  private lanes!: LaneRows;
  private rows: LaneRow[] = [];
  private arranged = 0; // how often rows were rebuilt

  constructor(private context: Context) {
    this.code = new LaneCode(context);
    this.arrange();
    replace(this.scroll, this.names, this.picture);
    this.element = h("section", { class: "threads", "aria-label": "threads over time" }, this.scroll, this.leftOut);
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
    if (anyOf(changed, "folded", "pinned") && this.names.childElementCount) {
      this.arrange();
      this.list();
      this.focusFlipped();
    } else if (changed.has("threads") || changed.has("finding") || !this.names.childElementCount) {
      if (this.lanes.all > kMostRows) {
        this.arrange(); // so that the chosen threads are shown
      }
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

  // Rows are as high as possible, and at least high enough for their names: then they scroll.
  private fit() {
    const room = this.scroll.clientHeight || 120;
    const height = Math.min(Math.max(room / Math.max(this.rows.length, 1), rem() * kLeastRow), rem() * 1.7);
    this.height = Math.floor(height);
  }

  private arrange() {
    const { model, store } = this.context;
    const { threads } = store.view;
    this.lanes = laneRows(model, {
      folded: this.folded(),
      pinned: new Set(store.view.pinned),
      kept: new Set(threads && threads.length <= kMostKept ? threads : []),
      most: this.showsAll ? Infinity : kMostRows,
    });
    this.rows = this.lanes.rows;
    this.arranged++;
    this.tellLeftOut();
  }

  private tellLeftOut() {
    const { all, rows } = this.lanes;
    this.leftOut.hidden = all <= kMostRows;
    const again = () => {
      this.showsAll = !this.showsAll;
      this.rearrange();
    };
    const words = this.showsAll
      ? `All ${count(all)} rows are shown. `
      : `${count(all - rows.length)} of ${count(all)} rows are not shown: those that differ most from the others are, and an even part of the rest. `;
    replace(this.leftOut, words, h("button", { click: again }, this.showsAll ? "Fewer" : "All"));
  }

  private rearrange() {
    this.arrange();
    this.list();
    this.draw();
  }

  // The number of rows at first, for the available room.
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
    this.fitted.fit();
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
    const isOne = row.kind === "thread";
    const share = percent(on / (life || 1));
    const isPinned = this.context.store.view.pinned.includes(row.key);
    const pinWords = isPinned ? "no longer keep at the top (P)" : "keep at the top (P)";
    return h(
      "div",
      {
        class: `row${isChosen ? " chosen" : ""}${isOne ? "" : " process"}${index < this.lanes.pinned ? " pinned" : ""}`,
        role: "option",
        "aria-selected": isChosen,
        tabindex: 0,
        title: `${laneTitle(model, row).join("\n")}\n${share} of ${isOne ? "its life" : "their lives"} on a processor`,
        style: `height:${this.height}px;padding-left:${0.6 + row.depth * 0.8}rem;${index < this.lanes.pinned ? `top:${index * this.height}px` : ""}`,
        click: (event: MouseEvent) => this.toggle(index, event.ctrlKey || event.metaKey),
        dblclick: () => this.fold(index),
        keydown: (event: KeyboardEvent) => this.key(event, index),
      },
      isOne
        ? null
        : h(
            "span",
            { class: "fold", click: (event: Event) => (event.stopPropagation(), this.fold(index)) },
            row.isFolded ? "▸" : "▾",
          ),
      laneLabel(model, row),
      h(
        "span",
        { class: "pin", title: pinWords, click: (event: Event) => (event.stopPropagation(), this.pin(index)) },
        isPinned ? "↧" : "↥",
      ),
      h("span", { class: "share" }, share),
    );
  }

  private key(event: KeyboardEvent, index: number) {
    const row = this.rows[index];
    if (event.key === "Enter" || event.key === " ") {
      this.toggle(index, event.ctrlKey);
    } else if (event.key === "P") {
      this.pin(index);
    } else if (row.kind !== "thread" && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      this.fold(index);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private folded(): Set<string> {
    const { folded } = this.context.store.view;
    return folded ? new Set(folded) : foldedAtFirst(this.context.model);
  }

  private fold(index: number) {
    const row = this.rows[index];
    if (row && row.kind !== "thread") {
      const folded = this.flip(this.folded(), row.key);
      const isAsAtFirst = folded.join() === [...foldedAtFirst(this.context.model)].sort().join();
      this.context.store.set({ folded: isAsAtFirst ? null : folded });
    }
  }

  private pin(index: number) {
    const { store } = this.context;
    store.set({ pinned: this.flip(new Set(store.view.pinned), this.rows[index].key) });
  }

  private flip(keys: Set<string>, key: string): string[] {
    if (!keys.delete(key)) {
      keys.add(key);
    }
    this.flipped = key;
    return [...keys].sort();
  }

  private focusFlipped() {
    const again = this.rows.findIndex((row) => row.key === this.flipped);
    this.flipped = "";
    (this.names.children[again] as HTMLElement | undefined)?.focus();
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

  // Pinned rows lie above scrolled ones.
  private rowAt(event: MouseEvent): number {
    const y = event.clientY - this.picture.getBoundingClientRect().top;
    const pinned = Math.floor((y - this.surface.top) / this.height);
    return pinned < this.lanes.pinned ? pinned : Math.floor(y / this.height);
  }

  // How much lower pinned rows are drawn, px.
  private shiftOf(row: number): number {
    return row < this.lanes.pinned ? this.surface.top : 0;
  }

  // In the window.
  private topOf(row: number): number {
    return this.picture.getBoundingClientRect().top + row * this.height + this.shiftOf(row);
  }

  // The wait of a thread at a time, a row of model.waits; −1: none that is kept.
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
    const times = index < this.lanes.pinned && this.surface.top > 0 ? this.pinnedTimes : this.times;
    const { made } = times;
    if (!row || !made || index - times.first >= made.rows) {
      tip.hide();
      return;
    }
    const thread = row.kind === "thread" ? row.threads[0] : -1;
    const perColumn = (store.view.to - store.view.from) / made.columns;
    const column = Math.min(made.columns - 1, Math.floor((time - store.view.from) / perColumn));
    const base = times.at(index, column);
    const wait = thread < 0 ? -1 : this.waitAt(thread, time);
    const whole = perColumn * row.threads.length;
    tip.besideRow(
      event,
      this.topOf(index),
      this.height,
      h("b", {}, laneTitle(model, row)[0]),
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
    const { store } = this.context;
    const { view } = store;
    const palette = this.context.palette();
    const tall = Math.max(this.rows.length * this.height, this.scroll.clientHeight);
    this.surface.begin(css(palette.ground), tall);
    const { surface } = this;
    const [first, last] = this.rowsSeen();
    this.drawRows(this.times, first, last, 0);
    drawArrows(this.context, surface, (thread) => this.middleOf(thread));
    drawFlows(this.context, surface, (thread) => this.middleOf(thread));
    const { pinned } = this.lanes;
    if (pinned && surface.top > 0) {
      surface.pen.fillStyle = css(palette.ground);
      surface.pen.fillRect(0, surface.top, surface.width, pinned * this.height);
      this.drawRows(this.pinnedTimes, 0, pinned, surface.top);
    }
    if (pinned) {
      surface.pen.fillStyle = palette.faint;
      surface.pen.fillRect(0, surface.top + pinned * this.height - 1, surface.width, 1);
    }
    drawBrush(surface, palette, view);
  }

  // `shift`: pixels lower than where they lie.
  private drawRows(times: LaneTimes, first: number, last: number, shift: number) {
    const { view } = this.context.store;
    const palette = this.context.palette();
    const { surface } = this;
    const { pen } = surface;
    const wide = Math.max(1, Math.round(surface.width));
    const columns = view.lanes === "code" ? wide : Math.min(surface.canvas.width, 2000);
    const perColumn = (view.to - view.from) / columns;
    const span = { level: this.context.level(perColumn), from: view.from, to: view.to, columns };
    const made = times.read(span, this.lanes, String(this.arranged), first, last);
    const shown = this.rows.slice(first, last);
    if (view.lanes === "code") {
      this.code.draw(surface, shown, first * this.height + shift, this.height, columns);
    } else {
      const chosen = view.threads && new Set(view.threads);
      const dim = Uint8Array.from(shown, (row) => (chosen && !row.threads.some((thread) => chosen.has(thread)) ? 1 : 0));
      const full = Float32Array.from(shown, (row) => perColumn * row.threads.length);
      const paint = { palette, full, plain: new Uint8Array(shown.length), dim, tint: false, rateLow: 0, rateHigh: 1 };
      this.pixels.draw(pen, made, paint, 0, first * this.height + shift, surface.width, this.height);
    }
    pen.fillStyle = css(palette.ground);
    for (let row = first + 1; row <= last; row++) {
      pen.fillRect(0, row * this.height - 1 + shift, surface.width, this.height > 10 ? 2 : 1);
    }
  }

  private middleOf(thread: number): number {
    const row = this.lanes.rowOf[thread];
    return row < 0 ? NaN : (row + 0.5) * this.height + this.shiftOf(row);
  }

  // The rows in view, or all if they are few: [first, last).
  private rowsSeen(): [number, number] {
    if (this.rows.length <= kFewRows) {
      return [0, this.rows.length];
    }
    const first = Math.max(0, Math.floor(this.surface.top / this.height));
    return [first, Math.min(this.rows.length, Math.ceil(this.surface.bottom / this.height) + 1)];
  }
}
