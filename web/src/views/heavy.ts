// Heavy code: groups of same spaces, and for the chosen one its life in time, with its longest gaps.
import { whyEmpty } from "../data/empty";
import { heavyName, HeavyData, HeavyGroup, rate, tellingEvent } from "../data/heavy";
import { occurrenceData, openOccurrences } from "../data/kept_occurrences";
import { h, replace, titled } from "../draw/dom";
import { count, percent } from "../format";
import { View } from "../state";
import { Changed, Context, ViewPart } from "./context";
import { HeavyLife } from "./heavy_life";

const kMostRows = 200;

export class Heavy implements ViewPart {
  readonly element = h("div", { class: "panel split" });
  private table = h("div", { class: "list" });
  private life: HeavyLife;
  private chosen = -1;

  constructor(private context: Context) {
    this.life = new HeavyLife(context);
    replace(this.element, h("div", { class: "column wide" }, this.table), this.life.element);
  }

  update(_view: View, _changed: Changed) {
    const data = occurrenceData()?.heavy;
    if (!data || !data.groups.length) {
      replace(this.table, h("p", { class: "hint" }, whyEmpty(this.context.model, "heavy") ?? "Reading the data …"));
      this.life.show(null, -1);
      if (!data) {
        openOccurrences().then(() => occurrenceData() && this.context.forgetOccurrences());
      }
      return;
    }
    if (this.chosen < 0) {
      this.chosen = data.order[0];
    }
    this.fill(data);
    this.life.show(data, this.chosen);
  }

  private choose(group: number, data: HeavyData) {
    this.chosen = group;
    const space = occurrenceData()?.spaces[data.groups[group].space];
    this.context.store.set({ order: "path", space: space?.call ? `c${space.call}` : "" });
    this.context.store.redraw();
  }

  private event(group: HeavyGroup, data: HeavyData): string {
    const event = tellingEvent(group);
    return event < 0 ? "" : `${rate(group.rates[event][0])} (${rate(group.rates[event][1])}) ${data.events[event]}`;
  }

  private fill(data: HeavyData) {
    const heads = ["", "weight", "user time", "stall", "pairs", "same", "event (elsewhere)"];
    const titles = [
      "",
      "instructions times pairs of samples, as a share of all",
      "share of the run's user time, and its 95 % interval",
      "time by weight: well above 1 the processor stalls",
      "of samples in it",
      "spaces that overlap, and how far at least",
      `${data.unit}: the event that distinguishes this code most from the rest of the program`,
    ];
    replace(
      this.table,
      h(
        "table",
        { class: "heavy" },
        h("thead", {}, h("tr", {}, ...heads.map((head, at) => h("th", { scope: "col", title: titles[at] }, head)))),
        h("tbody", {}, ...data.order.slice(0, kMostRows).map((group) => this.row(group, data))),
      ),
    );
  }

  private row(index: number, data: HeavyData): HTMLElement {
    const group = data.groups[index];
    const name = heavyName(group, group.around);
    const interval =
      group.low === null || group.high === null ? "" : ` ${(group.low * 100).toFixed(1)}–${(group.high * 100).toFixed(1)}`;
    const same = group.members.map((member) => `${percent(member.weight)}  ${heavyName(member)}`).join("\n");
    const choose = () => this.choose(index, data);
    return h(
      "tr",
      {
        class: index === this.chosen ? "chosen" : "",
        tabindex: 0,
        click: choose,
        keydown: (event: KeyboardEvent) => event.key === "Enter" && choose(),
      },
      titled("td", "name", name),
      h("td", { class: "number" }, percent(group.weight)),
      h("td", { class: "number share" }, percent(group.share), h("small", {}, interval)),
      h("td", { class: "number" }, group.stall.toFixed(1)),
      h("td", { class: "number" }, count(group.pairs)),
      h(
        "td",
        { class: "number", title: same },
        group.members.length ? `${group.members.length}, ${Math.floor(group.overlap * 100)} %` : "",
      ),
      titled("td", "event", this.event(group, data)),
    );
  }
}
