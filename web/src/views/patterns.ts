// The neighbours of the chosen space, how often each, and how long the space then takes.
import { whyEmpty } from "../data/empty";
import { neighbour, openOccurrences, Pattern, occurrenceData } from "../data/kept_occurrences";
import { css } from "../draw/palette";
import { h, replace, titled } from "../draw/dom";
import { compact, count, duration, percent } from "../format";
import { View } from "../state";
import { Changed, Context, ViewPart } from "./context";

const kAny = 3; // neighbour(): anything
const kFewEvents = 3; // the rest is shown on request
const kDiffers = 0.2;
const kClocks = ["task-clock", "cpu-clock"]; // their counts are the time

// Events per occurrence in a pattern: first those with at least one per occurrence somewhere and with differences, the
// greatest difference first; then the others in the recording's order.
function eventsOf(patterns: Pattern[], names: string[]): { event: number; isTelling: boolean }[] {
  const all = names.flatMap((name, event) => {
    const means = patterns.map((pattern) => (pattern.events[event] ?? 0) / pattern.count);
    const most = Math.max(...means, 0);
    const spread = most > 0 ? 1 - Math.min(...means) / most : 0;
    return kClocks.includes(name) ? [] : [{ event, spread, isTelling: most >= 1 && spread >= kDiffers }];
  });
  return all.sort(
    (a, b) => Number(b.isTelling) - Number(a.isTelling) || (a.isTelling ? b.spread - a.spread : a.event - b.event),
  );
}

export class Patterns implements ViewPart {
  readonly element = h("div", { class: "panel" });
  private showsAll = false;
  private events: number[] = []; // a column each

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
    const events = eventsOf(mine, data.eventNames);
    const shown = this.showsAll ? events : events.filter(({ isTelling }) => isTelling).slice(0, kFewEvents);
    this.events = shown.map(({ event }) => event);
    const sideOf = (pick: (pattern: Pattern) => number, other: (pattern: Pattern) => number) =>
      this.side(
        mine.filter((pattern) => pick(pattern) !== kAny && other(pattern) === kAny),
        pick,
      );
    const whole = mine.filter((pattern) => pattern.before !== kAny && pattern.after !== kAny);
    replace(
      this.element,
      h("h3", {}, occurrences.info.label, h("small", {}, `  ${count(occurrences.info.occurrences)} occurrences`)),
      this.more(events.length),
      h(
        "div",
        { class: `sides${this.showsAll ? " all" : ""}` },
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

  // Shows the events that are not shown, or only the most significant ones again.
  private more(all: number): HTMLElement | null {
    const hidden = all - this.events.length;
    if (!hidden && !this.showsAll) {
      return null;
    }
    const words = this.showsAll
      ? "Fewer events"
      : `${count(hidden)} ${this.events.length ? "more " : ""}event${hidden === 1 ? "" : "s"} a time`;
    const flip = () => {
      this.showsAll = !this.showsAll;
      this.context.store.redraw();
    };
    return h("button", { class: "offer more-events", "aria-expanded": this.showsAll, click: flip }, words);
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
    const names = occurrenceData()?.eventNames ?? [];
    const mean = (pattern: Pattern, event: number) => (pattern.events[event] ?? 0) / pattern.count;
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
          ...this.events.map((event) => h("th", { scope: "col", title: `${names[event]}, a time` }, names[event])),
        ),
      ),
      h(
        "tbody",
        {},
        ...patterns
          .map((pattern, index) => ({ pattern, lasts: means[index] }))
          .sort((a, b) => b.pattern.count - a.pattern.count)
          .map(({ pattern, lasts }) =>
            h(
              "tr",
              {},
              titled("td", "name", name(pattern)),
              h(
                "td",
                { class: "number", title: count(pattern.count) },
                `${count(pattern.count)}  ${percent(pattern.count / all)}`,
              ),
              h("td", { class: "number" }, duration(lasts)),
              h(
                "td",
                { class: "bars" },
                h("span", {
                  class: "bar",
                  style: `--share:${(lasts / most).toFixed(3)};--accent:${css(palette.channels[lasts > 1.2 * Math.min(...means) ? 2 : 0])}`,
                }),
              ),
              ...this.events.map((event) => h("td", { class: "number" }, compact(mean(pattern, event)))),
            ),
          ),
      ),
    );
  }
}
