// Both runs' functions against time, one above the other, and between them the corresponding times.
import { css, Palette } from "../draw/palette";
import { h, tip } from "../draw/dom";
import { fitted, font, rem, Surface } from "../draw/surface";
import { drawAxis } from "../draw/axis";
import { duration, moment } from "../format";
import { changeColour, signed } from "./change";
import { Chosen } from "./chosen";
import { Data, onOtherClock, RowKind, RunOverTime, spent } from "./data";

const kMostRows = 16;
const kOthers = "[other functions]";

// A stretch between two points that both clocks have.
interface Stretch {
  base: [number, number];
  other: [number, number];
  difference: number;
  isSure: boolean; // more than the bins' width
}

export class Strips {
  readonly element: HTMLElement;
  private readonly holder = h("div");
  private readonly surface: Surface;
  private rows: string[] = [];
  private kind: RowKind = "with_calls";
  private readonly stretches: Stretch[];
  private readonly busiest: number;
  private isAligned = false;

  constructor(
    private data: Data,
    private palette: () => Palette,
    private chosen: Chosen,
  ) {
    this.takeRows();
    this.busiest = Math.max(...[data.base, data.new].map(busiestBin), 1e-9);
    const { points } = data.clocks;
    const sure = data.base.duration_ns / data.base.bins + data.new.duration_ns / data.new.bins;
    this.stretches = points.slice(1).map((point, i) => {
      const base: [number, number] = [points[i][0], point[0]];
      const other: [number, number] = [points[i][1], point[1]];
      const difference = other[1] - other[0] - (base[1] - base[0]);
      return { base, other, difference, isSure: Math.abs(difference) > sure };
    });
    const clocks = choice(["each on its own clock", "both on the base's clock"], (which) => {
      this.isAligned = which === 1;
      this.draw();
    });
    const kinds = choice(["functions with all that they call", "functions themselves"], (which) => {
      this.kind = which === 0 ? "with_calls" : "itself";
      this.takeRows();
      this.draw();
    });
    this.element = h(
      "section",
      { class: "part" },
      h("header", {}, h("h2", {}, "When"), clocks, kinds, h("span", { class: "hint" }, this.summary())),
      this.holder,
    );
    this.surface = new Surface(this.holder, "what both runs did over time", () => this.draw());
    this.holder.addEventListener("mousemove", (event) => this.hover(event));
    this.holder.addEventListener("mouseleave", () => tip.hide());
    this.holder.addEventListener("click", (event) => {
      const row = this.rowAt(event);
      if (row) {
        chosen.set(this.rows[row.index]);
      }
    });
    chosen.onChange(() => this.draw());
  }

  // The functions with most time on either side.
  private takeRows() {
    const total = new Map<string, number>();
    for (const run of [this.data.base, this.data.new]) {
      const { functions, ns } = run[this.kind];
      functions.forEach((name, row) => {
        const sum = ns[row].reduce((a, b) => a + b, 0);
        total.set(name, Math.max(total.get(name) ?? 0, sum));
      });
    }
    const names = [...total.keys()].filter((name) => name !== kOthers).sort((a, b) => total.get(b)! - total.get(a)!);
    this.rows = names.slice(0, kMostRows);
    // For functions themselves the rest can be added up.
    if (this.kind === "itself" && (names.length > kMostRows || total.has(kOthers))) {
      this.rows.push(kOthers);
    }
  }

  // The place of most of the difference, in words.
  private summary(): string {
    const { base, clocks } = this.data;
    if (base.bins === 0 || this.data.new.bins === 0) {
      return "a run without samples has no picture";
    }
    if (!clocks.is_matched) {
      return "the runs have too little in common to match their clocks";
    }
    const most = this.stretches.filter((one) => one.isSure).sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference))[0];
    if (!most) {
      return "no part of the run became measurably longer or shorter";
    }
    return `${signed(most.difference)} between ${moment(most.base[0], 1e7)} and ${moment(most.base[1], 1e7)} of the base${this.mostly(most)}`;
  }

  // The function with most of the stretch's difference.
  private mostly(stretch: Stretch): string {
    const before = spent(this.data.base, "with_calls", ...stretch.base);
    const after = spent(this.data.new, "with_calls", ...stretch.other);
    let name = "";
    let most = 0;
    for (const one of new Set([...before.keys(), ...after.keys()])) {
      const difference = (after.get(one) ?? 0) - (before.get(one) ?? 0);
      if (Math.sign(difference) === Math.sign(stretch.difference) && Math.abs(difference) > Math.abs(most)) {
        most = difference;
        name = one;
      }
    }
    return name ? `, most of it in ${name} (${signed(most)} of processor time)` : "";
  }

  private left(): number {
    return Math.round(Math.min(rem() * 16, this.holder.clientWidth * 0.28));
  }

  private rowHeight(): number {
    return Math.round(rem() * 1.05);
  }

  private axisHeight(): number {
    return Math.round(rem() * 1.3);
  }

  private ribbons(): number {
    return Math.round(rem() * 4.2);
  }

  // Top of each part: the base's axis and rows, the ribbons, the new run's rows and axis.
  private tops() {
    const rows = this.rows.length * this.rowHeight();
    const base = this.axisHeight();
    const between = base + rows;
    const other = between + this.ribbons();
    return { base, between, other, axis: other + rows, height: other + rows + this.axisHeight() };
  }

  private longest(): number {
    return this.isAligned ? this.data.base.duration_ns : Math.max(this.data.base.duration_ns, this.data.new.duration_ns);
  }

  private x(ns: number, isNew: boolean): number {
    const at = isNew && this.isAligned ? onOtherClock(this.data.clocks.points, 1, ns) : ns;
    const left = this.left();
    return left + (at / this.longest()) * (this.surface.width - left);
  }

  draw() {
    const palette = this.palette();
    const tops = this.tops();
    this.surface.begin(css(palette.ground), tops.height);
    const left = this.left();
    if (!this.isAligned) {
      drawAxis(this.surface, palette, 0, this.longest(), left, tops.axis, this.axisHeight());
    }
    drawAxis(this.surface, palette, 0, this.longest(), left, 0, this.axisHeight());
    this.drawRun(this.data.base, tops.base, false);
    this.drawRun(this.data.new, tops.other, true);
    this.drawRibbons(tops.between, tops.other);
    const { pen } = this.surface;
    pen.font = font(0.85, "600");
    pen.fillStyle = palette.ink;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.fillText(fitted(pen, `base: ${this.data.base.run}`, left - 8), 0, this.axisHeight() / 2);
    pen.fillText(fitted(pen, `new: ${this.data.new.run}`, left - 8), 0, tops.axis + this.axisHeight() / 2);
  }

  private drawRun(run: RunOverTime, top: number, isNew: boolean) {
    const palette = this.palette();
    const { pen } = this.surface;
    const height = this.rowHeight();
    const bin = run.duration_ns / run.bins;
    pen.font = font(0.82);
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    this.rows.forEach((name, index) => {
      const y = top + index * height;
      const isDim = this.chosen.name !== "" && this.chosen.name !== name;
      pen.fillStyle = isDim ? palette.faint : palette.ink;
      pen.fillText(fitted(pen, name, this.left() - 10), 0, y + height / 2);
      pen.fillStyle = css(palette.structure, palette.dark ? 0.08 : 0.1);
      pen.fillRect(this.x(0, isNew), y, this.x(run.duration_ns, isNew) - this.x(0, isNew), height - 1);
      for (const row of this.rowsOf(run, name)) {
        for (let i = 0; i < run.bins; i++) {
          const share = run[this.kind].ns[row][i] / (bin * this.busiest);
          if (share > 0) {
            const x = this.x(i * bin, isNew);
            pen.fillStyle = css(palette.channels[0], (isDim ? 0.3 : 1) * Math.min(1, 0.12 + 0.88 * share));
            pen.fillRect(x, y, Math.max(0.5, this.x((i + 1) * bin, isNew) - x), height - 1);
          }
        }
      }
    });
  }

  // The contents of the row of that name.
  private rowsOf(run: RunOverTime, name: string): number[] {
    const isOf = (one: string) => one === name || (name === kOthers && !this.rows.includes(one));
    return run[this.kind].functions.flatMap((one, row) => (isOf(one) ? [row] : []));
  }

  private drawRibbons(top: number, bottom: number) {
    const palette = this.palette();
    const { pen } = this.surface;
    const greatest = Math.max(...this.stretches.map((one) => Math.abs(one.difference)), 1);
    for (const stretch of this.stretches) {
      const [a, b] = stretch.base.map((ns) => this.x(ns, false));
      const [c, d] = stretch.other.map((ns) => this.x(ns, true));
      const colour = changeColour(palette, stretch.isSure ? stretch.difference / greatest : 0);
      pen.beginPath();
      pen.moveTo(a, top);
      pen.lineTo(b, top);
      pen.lineTo(d, bottom - 1);
      pen.lineTo(c, bottom - 1);
      pen.closePath();
      pen.fillStyle = css(colour, stretch.isSure ? 0.75 : 0.3);
      pen.fill();
      pen.strokeStyle = css(palette.ground);
      pen.lineWidth = 1;
      pen.stroke();
      const words = signed(stretch.difference);
      pen.font = font(0.85, "600");
      pen.textAlign = "center";
      if (stretch.isSure && pen.measureText(words).width < (b - a + d - c) / 2) {
        pen.fillStyle = palette.dark ? "#fff" : "#111";
        pen.fillText(words, (a + b + c + d) / 4, (top + bottom) / 2);
      }
    }
    pen.textAlign = "left";
  }

  private rowAt(event: MouseEvent): { index: number; isNew: boolean; at: number } | null {
    const bounds = this.holder.getBoundingClientRect();
    const y = event.clientY - bounds.top;
    const tops = this.tops();
    const isNew = y >= tops.other;
    const index = Math.floor((y - (isNew ? tops.other : tops.base)) / this.rowHeight());
    if (index < 0 || index >= this.rows.length || (!isNew && y >= tops.between)) {
      return null;
    }
    return { index, isNew, at: this.timeAt(event.clientX - bounds.left, isNew) };
  }

  private timeAt(x: number, isNew: boolean): number {
    const left = this.left();
    const at = ((x - left) / (this.surface.width - left)) * this.longest();
    return isNew && this.isAligned ? onOtherClock(this.data.clocks.points, 0, at) : at;
  }

  private hover(event: MouseEvent) {
    const bounds = this.holder.getBoundingClientRect();
    const tops = this.tops();
    const y = event.clientY - bounds.top;
    if (y >= tops.between && y < tops.other) {
      this.hoverRibbon(event, (y - tops.between) / (tops.other - tops.between), event.clientX - bounds.left);
      return;
    }
    const row = this.rowAt(event);
    const run = row?.isNew ? this.data.new : this.data.base;
    if (!row || row.at < 0 || row.at > run.duration_ns || run.bins === 0) {
      tip.hide();
      return;
    }
    const bin = run.duration_ns / run.bins;
    const begin = Math.min(run.bins - 1, Math.floor(row.at / bin)) * bin;
    const name = this.rows[row.index];
    const ns = this.rowsOf(run, name).reduce((sum, one) => sum + run[this.kind].ns[one][Math.round(begin / bin)], 0);
    const there = onOtherClock(this.data.clocks.points, row.isNew ? 1 : 0, row.at);
    tip.show(
      event,
      h("b", {}, name),
      h(
        "div",
        {},
        `${duration(ns)} of processor time in ${duration(bin)}, at ${moment(row.at, bin)} of the ${row.isNew ? "new run" : "base"}`,
      ),
      h(
        "div",
        { class: "path" },
        `about ${moment(Math.max(0, there), bin)} of the ${row.isNew ? "base" : "new run"} · click: mark`,
      ),
    );
  }

  private hoverRibbon(event: MouseEvent, share: number, x: number) {
    const stretch = this.stretches.find((one) => {
      const begin = this.x(one.base[0], false) * (1 - share) + this.x(one.other[0], true) * share;
      const end = this.x(one.base[1], false) * (1 - share) + this.x(one.other[1], true) * share;
      return begin <= x && x < end;
    });
    if (!stretch) {
      tip.hide();
      return;
    }
    const words = ([begin, end]: [number, number]) => `${moment(begin, 1e6)} to ${moment(end, 1e6)}`;
    tip.show(
      event,
      h("b", {}, stretch.isSure ? signed(stretch.difference) : "no measurable difference"),
      h("div", {}, `base: ${words(stretch.base)}; new: ${words(stretch.other)}`),
      stretch.isSure ? h("div", { class: "path" }, this.mostly(stretch).slice(2)) : null,
    );
  }
}

// Processors at work in the busiest bin.
function busiestBin(run: RunOverTime): number {
  let most = 0;
  for (let i = 0; i < run.bins; i++) {
    most = Math.max(
      most,
      run.itself.ns.reduce((sum, row) => sum + row[i], 0),
    );
  }
  return run.bins ? most / (run.duration_ns / run.bins) : 0;
}

// Buttons of which one is pressed, the first at the beginning.
function choice(words: string[], pressed: (which: number) => void): HTMLElement {
  const buttons = words.map((text, i) => h("button", { "aria-pressed": String(i === 0), click: () => press(i) }, text));
  const press = (which: number) => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === which)));
    pressed(which);
  };
  return h("span", { class: "choice" }, ...buttons);
}
