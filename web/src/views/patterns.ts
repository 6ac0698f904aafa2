// What comes before and after the chosen space, how often, and how long the space then takes.
import { whyEmpty } from "../data/empty";
import { neighbour, openOccurrences, Pattern, occurrenceData } from "../data/kept_occurrences";
import { css } from "../draw/palette";
import { h, replace, titled } from "../draw/dom";
import { compact, count, duration, percent } from "../format";
import { View } from "../state";
import { Changed, Context, ViewPart } from "./context";

const kAny = 3; // neighbour(): anything
const kMostEvents = 2;
const kDiffers = 0.2;
const kClocks = ["task-clock", "cpu-clock"]; // what these count is the time

// Events a time of each pattern: those of which there is one a time somewhere and in which the patterns differ, the
// greatest difference first.
function eventsOf(patterns: Pattern[], names: string[]) {
  return names
    .map((name, event) => ({ name, means: patterns.map((pattern) => (pattern.events[event] ?? 0) / pattern.count) }))
    .filter(({ name, means }) => !kClocks.includes(name) && Math.max(...means) >= 1)
    .map(({ name, means }) => ({ name, means, spread: 1 - Math.min(...means) / Math.max(...means) }))
    .filter(({ spread }) => spread >= kDiffers)
    .sort((a, b) => b.spread - a.spread)
    .slice(0, kMostEvents);
}

export class Patterns implements ViewPart {
  readonly element = h("div", { class: "panel" });

  constructor(private context: Context) {}

  update(_view: View, _changed: Changed) {
    const data = occurrenceData();
    if (!data) {
      replace(this.element, h("p", { class: "hint" }, "Reading the data …"));
      openOccurrences().then(() => occurrenceData() && this.context.forgetOccurrences());
      return;
    }
    const occurrences = this.context.occurrences();
    const space = occurrences?.space ?? -1;
    const mine = data.patterns.filter((pattern) => pattern.node === space);
    if (!occurrences || !mine.length) {
      const known = new Set(data.patterns.map((pattern) => pattern.node));
      const offers = [...known].sort((a, b) => data.spaces[b].occurrences - data.spaces[a].occurrences).slice(0, 20);
      replace(
        this.element,
        h(
          "p",
          { class: "hint" },
          offers.length
            ? "Choose a space in the rows above, or one of these:"
            : (whyEmpty(this.context.model, "patterns") ?? ""),
        ),
        ...offers.map((index) =>
          h(
            "button",
            {
              class: "offer",
              title: data.spaces[index].label,
              click: () => this.context.store.set({ order: "path", space: `c${data.spaces[index].call}` }),
            },
            data.spaces[index].label,
          ),
        ),
      );
      return;
    }
    const sideOf = (pick: (pattern: Pattern) => number, other: (pattern: Pattern) => number) =>
      this.side(
        mine.filter((pattern) => pick(pattern) !== kAny && other(pattern) === kAny),
        pick,
      );
    const whole = mine.filter((pattern) => pattern.before !== kAny && pattern.after !== kAny);
    replace(
      this.element,
      h("h3", {}, occurrences.info.label, h("small", {}, `  ${count(occurrences.info.occurrences)} occurrences`)),
      h(
        "div",
        { class: "sides" },
        h(
          "div",
          {},
          h("h4", {}, "After …"),
          sideOf(
            (pattern) => pattern.before,
            (pattern) => pattern.after,
          ),
        ),
        h(
          "div",
          {},
          h("h4", {}, "… and before …"),
          sideOf(
            (pattern) => pattern.after,
            (pattern) => pattern.before,
          ),
        ),
        h(
          "div",
          {},
          h("h4", {}, "Between both"),
          this.table(whole.slice(0, 30), (pattern) => `${neighbour(pattern.before)} → ▪ → ${neighbour(pattern.after)}`),
        ),
      ),
    );
  }

  private side(patterns: Pattern[], pick: (pattern: Pattern) => number): HTMLElement {
    return this.table(patterns, (pattern) => neighbour(pick(pattern)));
  }

  private table(patterns: Pattern[], name: (pattern: Pattern) => string): HTMLElement {
    if (!patterns.length) {
      return h("p", { class: "hint" }, "nothing known");
    }
    const all = patterns.reduce((sum, pattern) => sum + pattern.count, 0);
    const means = patterns.map((pattern) => pattern.total / pattern.count);
    const most = Math.max(...means, 1);
    const events = eventsOf(patterns, occurrenceData()?.eventNames ?? []);
    const palette = this.context.palette();
    return h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...["", "times", "it takes", ""].map((title) => h("th", { scope: "col" }, title)),
          ...events.map(({ name: title }) => h("th", { scope: "col", title: title && `${title}, a time` }, title)),
        ),
      ),
      h(
        "tbody",
        {},
        ...patterns
          .map((pattern, index) => ({ pattern, index, mean: means[index] }))
          .sort((a, b) => b.pattern.count - a.pattern.count)
          .map(({ pattern, index, mean }) =>
            h(
              "tr",
              {},
              titled("td", "name", name(pattern)),
              h(
                "td",
                { class: "number", title: count(pattern.count) },
                `${count(pattern.count)}  ${percent(pattern.count / all)}`,
              ),
              h("td", { class: "number" }, duration(mean)),
              h(
                "td",
                {},
                h("span", {
                  class: "bar",
                  style: `--share:${(mean / most).toFixed(3)};--accent:${css(palette.channels[mean > 1.2 * Math.min(...means) ? 2 : 0])}`,
                }),
              ),
              ...events.map(({ means: each }) => h("td", { class: "number" }, compact(each[index]))),
            ),
          ),
      ),
    );
  }
}
