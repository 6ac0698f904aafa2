// A group of same spaces in time: its occurrences and its longest gaps on the run's axis, a row a thread; a click leads
// every view to a gap.
import { heavyName, HeavyData, HeavyGap } from "../data/heavy";
import { occurrenceData } from "../data/kept_occurrences";
import { drawAxis } from "../draw/axis";
import { h, replace, tip } from "../draw/dom";
import { css } from "../draw/palette";
import { fitted, font, rem, Surface } from "../draw/surface";
import { compact, count, duration, moment } from "../format";
import { Context } from "./context";
import { rateWords } from "./heavy";

const kMostThreads = 8;
const kLeastWidth = 3; // px

export class HeavyLife {
  readonly element = h("div", { class: "column heavy-life" });
  private title = h("h3", {});
  private chart = h("div", { class: "life" });
  private list = h("div", { class: "list" });
  private surface: Surface;
  private data: HeavyData | null = null;
  private group = -1;
  private threads: number[] = [];

  constructor(private context: Context) {
    this.surface = new Surface(this.chart, "the longest gaps of the chosen code over time", () => this.draw());
    replace(this.element, this.title, this.chart, this.list);
    this.chart.addEventListener("pointermove", (event) => this.hover(event));
    this.chart.addEventListener("pointerleave", () => tip.hide());
    this.chart.addEventListener("click", (event) => {
      const gap = this.gapAt(event);
      if (gap) {
        this.go(gap);
      }
    });
  }

  show(data: HeavyData | null, group: number) {
    this.data = data;
    this.group = group;
    this.element.hidden = !data;
    if (!data) {
      return;
    }
    const of = data.groups[group];
    const [from, to] = [data.first[group], data.first[group + 1]];
    const known = new Set([...of.gaps.map((gap) => gap.thread), ...data.thread.subarray(from, to)]);
    this.threads = [...known].sort((a, b) => a - b).slice(0, kMostThreads);
    replace(
      this.title,
      heavyName(of, of.around),
      h(
        "small",
        {},
        `  ${count(of.times)} occurrences${of.folded ? ", most too short to compare" : `, median ${duration(of.median)}`}, longest ${duration(of.longest)}; ${count(of.gap_count)} gaps${of.gap_count ? `, median ${duration(of.gap)}` : ""}`,
      ),
    );
    this.chart.style.height = `${this.height()}px`;
    replace(
      this.list,
      ...rateWords(of, data).map((words) => h("p", { class: "rate" }, words)),
      of.gaps.length ? h("h4", {}, "Longest gaps") : h("p", { class: "hint" }, "It has no gaps here."),
      ...of.gaps.map((gap, at) =>
        h(
          "button",
          { class: "moment", title: "go there", click: () => this.go(gap) },
          h("b", {}, String(at + 1)),
          h("span", {}, moment(gap.begin, 1e6)),
          h("span", {}, duration(gap.length)),
          h("span", { class: "what" }, this.filled(gap)),
        ),
      ),
    );
    this.draw();
  }

  private go(gap: HeavyGap) {
    this.context.store.look(gap.begin - gap.length, gap.begin + 2 * gap.length);
    this.context.store.set({ brush: [gap.begin, gap.begin + gap.length], threads: [gap.thread] });
  }

  private filled(gap: HeavyGap): string {
    const part = ([group, ns]: [number | null, number]) => {
      const of = group === null ? null : this.data!.groups[group];
      return `${of ? heavyName(of, of.around) : "elsewhere"} ${duration(ns)}`;
    };
    const most = (parts: string[]) => parts.slice(0, 3).join(", ");
    const words = [];
    if (gap.filled.length) {
      words.push(`filled by ${most(gap.filled.map(part))}`);
    }
    if (gap.waits.length) {
      words.push(`waited for ${most(gap.waits.map(([what, ns]) => `${what} ${duration(ns)}`))}`);
    }
    if (gap.ready * 20 >= gap.length) {
      words.push(`ready without a processor ${duration(gap.ready)}`);
    }
    return words.join("; ");
  }

  // "page-faults 30 (mean gap 16)".
  private events(gap: HeavyGap): string[] {
    const of = this.data!.groups[this.group];
    return (occurrenceData()?.eventNames ?? []).flatMap((name, event) => {
      const mean = (of.gap_events[event] ?? 0) / Math.max(of.gap_count, 1);
      return this.data!.events.includes(name) && (gap.events[event] || mean >= 0.5)
        ? [`${name} ${count(gap.events[event] ?? 0)} (mean gap ${compact(mean)})`]
        : [];
    });
  }

  private rowHeight(): number {
    return rem() * 1.5;
  }

  private height(): number {
    return Math.round((this.threads.length + 1) * this.rowHeight());
  }

  private x(time: number): number {
    const [from, to] = this.context.model.range;
    return ((time - from) / (to - from)) * this.surface.width;
  }

  private draw() {
    const { surface, data } = this;
    const palette = this.context.palette();
    surface.begin(css(palette.ground), this.height());
    if (!data || this.group < 0) {
      return;
    }
    const { pen } = surface;
    const tall = this.rowHeight();
    const { view } = this.context.store;
    pen.fillStyle = css(palette.structure, 0.12);
    pen.fillRect(this.x(view.from), 0, this.x(view.to) - this.x(view.from), surface.height);
    const [from, to] = this.context.model.range;
    drawAxis(surface, palette, from, to, 0, surface.height - tall, tall);
    pen.fillStyle = css(palette.channels[0], 0.75);
    for (let at = data.first[this.group]; at < data.first[this.group + 1]; at++) {
      const row = this.threads.indexOf(data.thread[at]);
      if (row >= 0) {
        pen.fillRect(
          this.x(data.begin[at]),
          row * tall + tall * 0.25,
          Math.max(1, this.x(data.begin[at] + data.length[at]) - this.x(data.begin[at])),
          tall * 0.5,
        );
      }
    }
    // The longest last, so that its number is on top.
    data.groups[this.group].gaps
      .map((gap, at) => ({ gap, at }))
      .reverse()
      .forEach(({ gap, at }) => {
        const row = this.threads.indexOf(gap.thread);
        if (row < 0) {
          return;
        }
        const left = this.x(gap.begin);
        const width = Math.max(kLeastWidth, this.x(gap.begin + gap.length) - left);
        pen.fillStyle = palette.alarm;
        pen.fillRect(left, row * tall + tall * 0.62, width, tall * 0.3);
        pen.font = font(0.75);
        pen.textBaseline = "bottom";
        pen.fillText(String(at + 1), left, row * tall + tall * 0.62);
      });
    pen.font = font(0.75);
    pen.textBaseline = "top";
    pen.fillStyle = palette.faint;
    this.threads.forEach((thread, row) => {
      const name = this.context.model.threadName(thread);
      pen.textAlign = "right";
      pen.fillText(fitted(pen, name, surface.width / 3), surface.width - 4, row * tall + 2);
      pen.textAlign = "left";
    });
  }

  private gapAt(event: MouseEvent): HeavyGap | null {
    const row = Math.floor(event.offsetY / this.rowHeight());
    return (
      this.data?.groups[this.group]?.gaps.find((gap) => {
        const left = this.x(gap.begin) - 2;
        const right = Math.max(this.x(gap.begin + gap.length), left + kLeastWidth) + 2;
        return this.threads[row] === gap.thread && left <= event.offsetX && event.offsetX <= right;
      }) ?? null
    );
  }

  private hover(event: PointerEvent) {
    const gap = this.gapAt(event);
    this.chart.style.cursor = gap ? "pointer" : "";
    if (!gap) {
      tip.hide();
      return;
    }
    tip.show(
      event,
      h("b", {}, `Gap of ${duration(gap.length)} at ${moment(gap.begin, 1e6)}, ${this.context.model.threadName(gap.thread)}`),
      h("div", {}, this.filled(gap)),
      ...this.events(gap).map((words) => h("div", {}, words)),
    );
  }
}
