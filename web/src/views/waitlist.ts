// Waits of the brushed region, by object and place.
import { whyEmpty } from "../data/empty";
import { nodeName } from "../data/spaces";
import { h, replace, titled } from "../draw/dom";
import { count, duration, withoutArguments } from "../format";
import { View } from "../state";
import { Changed, Context, ViewPart } from "./context";

interface Group {
  object: number;
  leaf: number;
  ns: number;
  count: number;
  longest: number;
  at: number;
  holders: Map<number, number>;
}

export class WaitList implements ViewPart {
  readonly element = h("div", { class: "panel" });

  constructor(private context: Context) {}

  update(_view: View, _changed: Changed) {
    const { model, store } = this.context;
    const { waits } = model;
    const [from, to] = this.context.regionBounds();
    const threads = new Set(this.context.threads());
    const groups = new Map<string, Group>();
    for (let i = 0; i < waits.begin.length; i++) {
      const inside = Math.min(to, waits.begin[i] + waits.length[i]) - Math.max(from, waits.begin[i]);
      if (inside <= 0 || !threads.has(waits.thread[i])) {
        continue;
      }
      const key = `${waits.object[i]} ${model.leafNode[waits.leaf[i]]}`;
      let group = groups.get(key);
      if (!group) {
        group = { object: waits.object[i], leaf: waits.leaf[i], ns: 0, count: 0, longest: 0, at: 0, holders: new Map() };
        groups.set(key, group);
      }
      group.ns += inside;
      group.count++;
      if (inside > group.longest) {
        group.longest = inside;
        group.at = waits.begin[i];
      }
      if (waits.holder[i]) {
        const holder = waits.holder[i] - 1;
        group.holders.set(holder, (group.holders.get(holder) ?? 0) + inside);
      }
    }
    const rows = [...groups.values()].sort((a, b) => b.ns - a.ns).slice(0, 200);
    if (!rows.length) {
      replace(this.element, h("p", { class: "hint" }, whyEmpty(model, "waits") ?? "No waits were recorded in this region."));
      return;
    }
    replace(
      this.element,
      h(
        "table",
        { class: "waits" },
        h(
          "caption",
          {},
          waits.all > waits.begin.length
            ? `Waits in this region, of the longest ${count(waits.begin.length)} of ${count(waits.all)}`
            : "Waits in this region",
        ),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...["time", "waits", "longest", "for what", "where", "held by"].map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h(
          "tbody",
          {},
          ...rows.map((row) => {
            const object = model.waits.objects[row.object];
            const node = model.leafNode[row.leaf];
            const look = () => {
              const margin = row.longest * 0.5;
              store.look(row.at - margin, row.at + row.longest + margin);
              store.set({ order: "path", space: node ? `c${node}` : "" });
            };
            const holders = [...row.holders].sort((a, b) => b[1] - a[1]).slice(0, 3);
            return h(
              "tr",
              {
                tabindex: 0,
                title: "go to the longest",
                click: look,
                keydown: (event: KeyboardEvent) => event.key === "Enter" && look(),
              },
              h("td", { class: "number" }, duration(row.ns)),
              h("td", { class: "number" }, count(row.count)),
              h("td", { class: "number" }, duration(row.longest)),
              titled("td", "awaited", object.kind),
              titled("td", "name", this.place(node)),
              titled("td", "held", holders.map(([thread, ns]) => `${model.threadName(thread)} (${duration(ns)})`).join(", ")),
            );
          }),
        ),
      ),
    );
  }

  // The program's own function: the innermost that is in the program itself.
  private place(node: number): string {
    const { model } = this.context;
    for (let at = node; at > 0; at = model.nodeParent[at]) {
      const fn = model.nodeFunction[at];
      if (model.isOwn(fn) && !/^std::/.test(model.functions.name[fn])) {
        return `${withoutArguments(model.functions.name[fn])}  ${model.place(model.nodeFile[at], model.nodeLine[at])}`;
      }
    }
    return withoutArguments(nodeName(model, node));
  }
}
