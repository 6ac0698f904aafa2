// Occurrences of the chosen space: duration over time, its distribution, and the differences of slow from fast ones. The line
// between slow and fast can be dragged.
import { whyEmpty } from "../data/empty";
import {
  chooseSpace,
  kTerms,
  neighbour,
  openOccurrences,
  setThreshold,
  spacesAt,
  occurrenceData,
  KeptOccurrences,
} from "../data/kept_occurrences";
import { css } from "../draw/palette";
import { ticksOf } from "../draw/axis";
import { h, replace, tip } from "../draw/dom";
import { font, rem, Surface } from "../draw/surface";
import { count, duration, moment } from "../format";
import { View } from "../state";
import { compare } from "./compare";
import { Changed, Context, ViewPart } from "./context";

const kDot = 3; // px, radius of the largest
const kNames = 4; // rem, of durations at the left

export class Occurrences implements ViewPart {
  readonly element = h("div", { class: "panel split" });
  private title = h("h3", {});
  private chart = h("div", { class: "chart" });
  private table = h("div", { class: "list" });
  private surface: Surface;
  private shown: number[] = []; // occurrences in the scatter
  private low = 0;
  private high = 1;
  private drags = false;

  constructor(private context: Context) {
    this.surface = new Surface(this.chart, "duration of each occurrence over time", () => this.draw());
    this.chart.style.cssText = "flex:1;min-height:0;position:relative;overflow:hidden";
    replace(
      this.element,
      h("div", { class: "column wide" }, this.title, this.chart),
      h("div", { class: "column" }, this.table),
    );
    this.chart.addEventListener("pointerdown", (event) => {
      const occurrences = this.context.occurrences();
      this.drags = occurrences !== null && Math.abs(this.y(occurrences.threshold) - event.offsetY) < 8;
      if (!this.drags && occurrences) {
        const at = this.near(event);
        if (at >= 0) {
          this.lookAt(occurrences, at);
        }
      }
    });
    this.chart.addEventListener("pointermove", (event) => this.move(event));
    addEventListener("pointerup", () => (this.drags = false));
    this.chart.addEventListener("pointerleave", () => tip.hide());
  }

  update(_view: View, _changed: Changed) {
    if (!occurrenceData()) {
      replace(this.table, h("p", { class: "hint" }, "Reading the data …"));
      openOccurrences().then(() => occurrenceData() && this.context.forgetOccurrences());
      return;
    }
    this.describe();
    this.draw();
  }

  private lookAt(occurrences: KeptOccurrences, at: number) {
    const span = occurrences.end[at] - occurrences.begin[at];
    this.context.store.look(occurrences.begin[at] - span, occurrences.end[at] + span);
    this.context.store.set({ brush: [occurrences.begin[at], occurrences.end[at]], threads: [occurrences.thread[at]] });
  }

  private describe() {
    const { model } = this.context;
    const selected = this.context.selected();
    const occurrences = this.context.occurrences();
    const data = occurrenceData()!;
    if (!selected || !occurrences) {
      replace(this.title, "Occurrences");
      const offers = data.spaces
        .map((space, index) => ({ space, index }))
        .filter(({ space }) => space.occurrences > 1)
        .slice(0, 30);
      replace(
        this.table,
        h(
          "p",
          { class: "hint" },
          offers.length ? "Choose a space in the rows above, or one of these:" : (whyEmpty(model, "occurrences") ?? ""),
        ),
        ...offers.map(({ space, index }) =>
          h(
            "button",
            {
              class: "offer",
              title: space.label,
              click: () => (chooseSpace(index), this.context.store.set({ order: "path", space: `c${space.call}` })),
            },
            `${space.label} · ${count(space.occurrences)}×`,
          ),
        ),
      );
      return;
    }
    const here = spacesAt(model, this.context.tree(), selected.node);
    const choice = h("select", {
      "aria-label": "which occurrences",
      change: (event: Event) => {
        chooseSpace(Number((event.target as HTMLSelectElement).value));
        this.context.forgetOccurrences();
      },
    });
    for (const index of here) {
      choice.append(h("option", { value: index, selected: index === occurrences.space }, data.spaces[index].label));
    }
    const kept = occurrences.begin.length;
    const { info } = occurrences;
    replace(
      this.title,
      choice,
      h(
        "small",
        {},
        `  ${count(info.occurrences)} occurrences${kept < info.occurrences ? `, ${count(kept)} of them here` : ""}${info.period ? `, every ${duration(info.period)}` : ""}${info.folded ? " · too short to compare one by one: read the sums, not the dots" : ""}`,
      ),
    );
    replace(this.table, ...compare(this.context, occurrences));
  }

  // The end of the dots and the begin of their distribution.
  private plotWidth(): number {
    return this.surface.width * 0.8;
  }

  // Beside the names of durations, and with the first and the last dot whole.
  private x(time: number): number {
    const [from, to] = this.context.model.range;
    const left = rem() * kNames + kDot;
    return left + ((time - from) / (to - from)) * (this.plotWidth() - left - kDot);
  }

  private y(ns: number): number {
    const bottom = this.surface.height - rem() * 1.4;
    return bottom - ((Math.log(Math.max(ns, 1)) - this.low) / (this.high - this.low || 1)) * (bottom - 8);
  }

  private draw() {
    const occurrences = this.context.occurrences();
    const palette = this.context.palette();
    const { surface } = this;
    surface.begin(css(palette.ground));
    if (!occurrences || !occurrences.begin.length) {
      return;
    }
    const { pen } = surface;
    const [from, to] = this.context.model.range;
    const { view } = this.context.store;
    const lengths = occurrences.end.map((end, i) => end - occurrences.begin[i]);
    this.low = Math.log(lengths.reduce((a, b) => Math.max(Math.min(a, b), 1), Infinity)) - 0.1;
    this.high = Math.log(lengths.reduce((a, b) => Math.max(a, b), 2)) + 0.1;
    const width = this.plotWidth();
    const x = (time: number) => this.x(time);
    pen.fillStyle = css(palette.structure, 0.12);
    pen.fillRect(x(view.from), 0, x(view.to) - x(view.from), surface.height);
    pen.font = font(0.8);
    pen.textBaseline = "bottom";
    const times = ticksOf(from, to, width);
    for (const tick of times) {
      pen.fillStyle = palette.grid;
      pen.fillRect(Math.round(x(tick)), 0, 1, surface.height);
      pen.fillStyle = palette.faint;
      const words = moment(tick, times.length > 1 ? times[1] - times[0] : 1e9);
      if (x(tick) + 3 + pen.measureText(words).width < width) {
        pen.fillText(words, x(tick) + 3, surface.height - 2);
      }
    }
    let lastLabel = Infinity;
    for (let decade = Math.floor(this.low / Math.LN10); decade <= this.high / Math.LN10; decade++) {
      for (const step of [1, 2, 5]) {
        const value = step * 10 ** decade;
        const at = this.y(value);
        if (Math.log(value) < this.low || Math.log(value) > this.high || lastLabel - at < rem() * 1.1) {
          continue;
        }
        lastLabel = at;
        pen.fillStyle = palette.grid;
        pen.fillRect(0, Math.round(at), surface.width, 1);
        pen.fillStyle = palette.faint;
        pen.fillText(duration(value), 3, at);
      }
    }
    const threads = new Set(this.context.threads());
    this.shown = [];
    for (let i = 0; i < lengths.length; i++) {
      if (threads.has(occurrences.thread[i])) {
        this.shown.push(i);
      }
    }
    for (const i of this.shown) {
      pen.fillStyle = occurrences.slow[i] ? palette.alarm : css(palette.channels[0], 0.75);
      const size = occurrences.slow[i] ? kDot : 2;
      pen.beginPath();
      pen.arc(x(occurrences.begin[i]), this.y(lengths[i]), size, 0, 7);
      pen.fill();
    }
    this.histogram(occurrences, lengths, width);
    if (isFinite(occurrences.threshold)) {
      pen.strokeStyle = palette.alarm;
      pen.setLineDash([5, 4]);
      pen.beginPath();
      pen.moveTo(0, Math.round(this.y(occurrences.threshold)) + 0.5);
      pen.lineTo(surface.width, Math.round(this.y(occurrences.threshold)) + 0.5);
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  // Lying on its side at the right, on the scatter's own scale.
  private histogram(occurrences: KeptOccurrences, lengths: Float64Array, left: number) {
    const bins = 40;
    const counts = new Float64Array(bins);
    for (const i of this.shown) {
      counts[Math.min(bins - 1, Math.floor(((Math.log(lengths[i]) - this.low) / (this.high - this.low)) * bins))]++;
    }
    const most = Math.max(...counts, 1);
    const palette = this.context.palette();
    const { pen, width } = this.surface;
    for (let bin = 0; bin < bins; bin++) {
      const low = Math.exp(this.low + ((this.high - this.low) * bin) / bins);
      const high = Math.exp(this.low + ((this.high - this.low) * (bin + 1)) / bins);
      if (!counts[bin]) {
        continue;
      }
      pen.fillStyle = low >= occurrences.threshold ? palette.alarm : css(palette.channels[0], 0.8);
      pen.fillRect(
        left + 8,
        this.y(high) + 0.5,
        Math.max(2, (Math.sqrt(counts[bin]) / Math.sqrt(most)) * (width - left - 16)),
        this.y(low) - this.y(high) - 1,
      );
    }
  }

  private near(event: PointerEvent): number {
    const occurrences = this.context.occurrences()!;
    let best = 81;
    let found = -1;
    for (const i of this.shown) {
      const dx = this.x(occurrences.begin[i]) - event.offsetX;
      const dy = this.y(occurrences.end[i] - occurrences.begin[i]) - event.offsetY;
      if (dx * dx + dy * dy < best) {
        best = dx * dx + dy * dy;
        found = i;
      }
    }
    return found;
  }

  private move(event: PointerEvent) {
    const occurrences = this.context.occurrences();
    if (!occurrences) {
      return;
    }
    if (this.drags) {
      const bottom = this.surface.height - rem() * 1.4;
      setThreshold(occurrences.space, Math.exp(this.low + ((bottom - event.offsetY) / (bottom - 8)) * (this.high - this.low)));
      this.context.forgetOccurrences();
      return;
    }
    this.chart.style.cursor = Math.abs(this.y(occurrences.threshold) - event.offsetY) < 8 ? "ns-resize" : "default";
    const at = this.near(event);
    if (at < 0) {
      tip.hide();
      return;
    }
    const data = occurrenceData()!;
    const row = occurrences.rows[0] + at;
    tip.show(
      event,
      h("b", {}, `${duration(data.length[row])} on ${this.context.model.threadName(occurrences.thread[at])}`),
      h("div", {}, `from ${moment(occurrences.begin[at], data.length[row] / 20)}`),
      ...kTerms.map((what, term) =>
        data.terms[term][row] > 0 ? h("div", {}, `${duration(data.terms[term][row])} ${what}`) : null,
      ),
      h("div", {}, `after ${neighbour(data.before[row])}, before ${neighbour(data.after[row])}`),
      h("div", { class: "path" }, "click: go there"),
    );
  }
}
