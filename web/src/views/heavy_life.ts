// A group of same spaces in time: its occurrences and its longest gaps on the run's axis, a row a thread; a click leads
// every view to a gap.
import { gapEvents, gapWords, heavyName, HeavyData, HeavyGap, HeavyGroup } from "../data/heavy";
import { occurrenceData } from "../data/kept_occurrences";
import { drawAxis } from "../draw/axis";
import { h, replace, tip } from "../draw/dom";
import { css } from "../draw/palette";
import { fitted, font, rem, Surface } from "../draw/surface";
import { count, duration, moment, percent } from "../format";
import { Context, goToGap } from "./context";
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
      h("div", {}, gapWords(this.data!, gap)),
      ...gapEvents(this.data!, this.data!.groups[this.group], gap, occurrenceData()?.eventNames ?? []).map((words) =>
        h("div", {}, words),
      ),
    );
  }
}

// The spaces that a group is made of, each with its own figures; nothing where it is like no other.
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
            h("td", { class: "name", title: heavyName(member) }, heavyName(member)),
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
