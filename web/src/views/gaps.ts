// The longest gaps of all heavy code: between two occurrences in one thread, with their contents and events.
import { whyEmpty } from "../data/empty";
import { gapEvents, gapWords, heavyName, HeavyData, HeavyGap, HeavyGroup } from "../data/heavy";
import { occurrenceData, openOccurrences } from "../data/kept_occurrences";
import { drawAxis } from "../draw/axis";
import { h, replace, titled } from "../draw/dom";
import { css } from "../draw/palette";
import { rem, Surface } from "../draw/surface";
import { count, duration, moment } from "../format";
import { View } from "../state";
import { Changed, Context, goToGap, ViewPart } from "./context";

const kMostRows = 1000;
const kMostThreads = 8;

interface Row {
  group: HeavyGroup;
  gap: HeavyGap;
}

export class Gaps implements ViewPart {
  readonly element = h("div", { class: "panel" });
  private strip = h("div", { class: "gap-strip" });
  private list = h("div", {});
  private surface: Surface;
  private rows: Row[] = [];

  constructor(private context: Context) {
    this.surface = new Surface(this.strip, "the longest gaps over time", () => this.draw());
    replace(this.element, this.strip, this.list);
  }

  update(view: View, _changed: Changed) {
    const data = occurrenceData()?.heavy;
    if (!data) {
      openOccurrences().then(() => occurrenceData() && this.context.forgetOccurrences());
    }
    const why = whyEmpty(this.context.model, "gaps");
    this.strip.hidden = !data || why !== null;
    if (!data || why) {
      replace(this.list, h("p", { class: "hint" }, why ?? "Reading the data …"));
      return;
    }
    const threads = new Set(view.threads ?? []);
    this.rows = data.groups
      .flatMap((group) => group.gaps.map((gap) => ({ group, gap })))
      .filter(({ gap }) => !view.threads || threads.has(gap.thread))
      .sort((a, b) => b.gap.length - a.gap.length)
      .slice(0, kMostRows);
    this.fill(data);
    this.draw();
  }

  private fill(data: HeavyData) {
    const { model } = this.context;
    const heads = ["begin", "length", "usual", "gaps of", "thread", "filled by", "events (mean gap)"];
    replace(
      this.list,
      h(
        "table",
        { class: "gaps" },
        h("caption", {}, `the longest gaps of heavy code, at most eight of each; ${this.rows.length} shown`),
        h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
        h(
          "tbody",
          {},
          ...this.rows.map(({ group, gap }) => {
            const go = () => goToGap(this.context, gap);
            const events = gapEvents(data, group, gap, occurrenceData()!.eventNames).join(", ");
            const filled = gapWords(data, gap).replace(/^filled by /, "");
            return h(
              "tr",
              {
                tabindex: 0,
                title: "go there",
                click: go,
                keydown: (event: KeyboardEvent) => event.key === "Enter" && go(),
              },
              h("td", { class: "number" }, moment(gap.begin, 1e6)),
              h("td", { class: "number" }, duration(gap.length)),
              h("td", { class: "number", title: `median of ${count(group.gap_count)} gaps` }, duration(group.gap)),
              titled("td", "of", heavyName(group, group.around)),
              h("td", { class: "thread", title: model.threadTitle(gap.thread) }, model.threadName(gap.thread)),
              titled("td", "filled", filled),
              titled("td", "event", events),
            );
          }),
        ),
      ),
    );
  }

  private draw() {
    const { surface } = this;
    if (this.strip.hidden) {
      return;
    }
    const palette = this.context.palette();
    surface.begin(css(palette.ground));
    const [from, to] = this.context.model.range;
    const tall = rem() * 1.3;
    drawAxis(surface, palette, from, to, 0, 0, tall);
    const x = (time: number) => ((time - from) / (to - from)) * surface.width;
    // A row a thread, of those with the longest gaps; where several overlap it is stronger.
    const threads = [...new Set(this.rows.map(({ gap }) => gap.thread))].slice(0, kMostThreads).sort((a, b) => a - b);
    const height = (surface.height - tall) / Math.max(threads.length, 1);
    surface.pen.fillStyle = palette.alarm;
    surface.pen.globalAlpha = 0.3;
    for (const { gap } of this.rows) {
      const row = threads.indexOf(gap.thread);
      if (row >= 0) {
        const width = Math.max(1, x(gap.begin + gap.length) - x(gap.begin));
        surface.pen.fillRect(x(gap.begin), tall + row * height, width, Math.max(1, height - 1));
      }
    }
    surface.pen.globalAlpha = 1;
  }
}
