// A group of same spaces in time: its occurrences and its longest gaps on the run's axis, a row a thread; a click moves
// every view to a gap.
import { gapEvents, gapWords, heavyName, HeavyData, HeavyGap, HeavyGroup, rateWords } from "../data/heavy";
import { occurrenceData } from "../data/kept_occurrences";
import { drawAxis } from "../draw/axis";
import { h, replace, tip, titled } from "../draw/dom";
import { css } from "../draw/palette";
import { fitted, font, rem, Surface } from "../draw/surface";
import { count, duration, moment, percent } from "../format";
import { Context, goToGap } from "./context";

const kMostThreads = 8;
const kLeastWidth = 3; // px
const kEdge = 4; // px between texts, and to the edge
const kBand = 0.7; // rem, of occurrences
const kText = 0.85; // rem

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
        goToGap(this.context, gap);
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
      ...sameSpaces(of),
      of.gaps.length ? h("h4", {}, "Longest gaps") : h("p", { class: "hint" }, "It has no gaps here."),
      ...of.gaps.map((gap, at) =>
        h(
          "button",
          { class: "moment", title: "go there", click: () => goToGap(this.context, gap) },
          h("b", {}, String(at + 1)),
          h("span", {}, moment(gap.begin, 1e6)),
          h("span", {}, duration(gap.length)),
          h("span", { class: "what" }, gapWords(this.data!, gap)),
        ),
      ),
    );
    this.draw();
  }

  // A thread's name, its occurrences, its longest gaps, their numbers.
  private rowHeight(): number {
    return rem() * 3.1;
  }

  private axisHeight(): number {
    return rem() * 1.5;
  }

  private height(): number {
    return Math.round(this.threads.length * this.rowHeight() + this.axisHeight());
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
    drawAxis(surface, palette, from, to, 0, surface.height - this.axisHeight(), this.axisHeight());
    pen.fillStyle = css(palette.channels[0], 0.75);
    for (let at = data.first[this.group]; at < data.first[this.group + 1]; at++) {
      const row = this.threads.indexOf(data.thread[at]);
      if (row >= 0) {
        const left = this.x(data.begin[at]);
        pen.fillRect(left, row * tall + rem(), Math.max(1, this.x(data.begin[at] + data.length[at]) - left), rem() * kBand);
      }
    }
    pen.font = font(kText);
    pen.textBaseline = "top";
    pen.fillStyle = palette.faint;
    this.threads.forEach((thread, row) => {
      const name = this.context.model.threadName(thread);
      pen.fillText(fitted(pen, name, surface.width - 2 * kEdge), kEdge, row * tall + rem() * 0.15);
    });
    this.drawGaps(data.groups[this.group].gaps);
  }

  // Below each thread's occurrences; of numbers that do not fit beside one another the longest gap's is shown.
  private drawGaps(gaps: HeavyGap[]) {
    const { pen, width: all } = this.surface;
    const tall = this.rowHeight();
    pen.fillStyle = this.context.palette().alarm;
    const taken: { row: number; left: number; right: number }[] = [];
    gaps.forEach((gap, at) => {
      const row = this.threads.indexOf(gap.thread);
      if (row < 0) {
        return;
      }
      const begin = this.x(gap.begin);
      const width = Math.max(kLeastWidth, this.x(gap.begin + gap.length) - begin);
      pen.fillRect(begin, row * tall + rem() * (1 + kBand), width, rem() * 0.3);
      const words = String(at + 1);
      const wide = pen.measureText(words).width;
      const left = Math.max(kEdge, Math.min(begin + width / 2 - wide / 2, all - wide - kEdge));
      const right = left + wide + kEdge;
      if (taken.every((one) => one.row !== row || left >= one.right || right <= one.left)) {
        taken.push({ row, left, right });
        pen.fillText(words, left, row * tall + rem() * (1.4 + kBand));
      }
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
      h("div", {}, gapWords(this.data!, gap)),
      ...gapEvents(this.data!, this.data!.groups[this.group], gap, occurrenceData()?.eventNames ?? []).map((words) =>
        h("div", {}, words),
      ),
    );
  }
}

// The spaces of a group, each with its own figures; nothing if there is only one.
function sameSpaces(group: HeavyGroup): HTMLElement[] {
  if (group.members.length < 2) {
    return [];
  }
  const heads = ["same spaces", "weight", "user time", "stall", "pairs"];
  return [
    h("h4", {}, `Same spaces: ${group.members.length} that overlap by ${Math.floor(group.overlap * 100)} % at least`),
    h(
      "table",
      { class: "same" },
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h(
        "tbody",
        {},
        ...group.members.map((member) =>
          h(
            "tr",
            {},
            titled("td", "name", heavyName(member)),
            h("td", { class: "number" }, percent(member.weight)),
            h("td", { class: "number" }, percent(member.share)),
            h("td", { class: "number" }, member.stall.toFixed(1)),
            h("td", { class: "number" }, count(member.pairs)),
          ),
        ),
      ),
    ),
  ];
}
