// Functions of the brushed region, and callers and callees of the chosen one.
import { callersAndCallees, functionRows, leafValues, Neighbour, nodeSums, metricValue, metricWords } from "../data/calltree";
import { findFunctions } from "../data/find";
import { h, replace, titled } from "../draw/dom";
import { percent, withoutArguments } from "../format";
import { View } from "../state";
import { Changed, Context, ViewPart } from "./context";

const kMostRows = 300;

export class FunctionTable implements ViewPart {
  readonly element = h("div", { class: "panel split" });
  private list = h("div", { class: "list" });
  private beside = h("div", { class: "list" });

  constructor(private context: Context) {
    replace(this.element, h("div", { class: "column wide" }, this.list), h("div", { class: "column" }, this.beside));
  }

  update(_view: View, _changed: Changed) {
    this.fill();
  }

  private chosen(): number {
    const selected = this.context.selected();
    return selected ? this.context.tree().fn[selected.node] : -1;
  }

  private choose(fn: number) {
    this.context.store.set({ order: "function", space: `f${fn}` });
  }

  private fill() {
    const { model, store } = this.context;
    const sums = nodeSums(model, leafValues(this.context.region(), store.view.metric));
    const all = sums.total[0] || 1;
    const found = store.view.find ? findFunctions(model, store.view.find) : null;
    const every = functionRows(model, sums);
    const rows = every.filter((row) => !found || found[row.fn]);
    const chosen = this.chosen();
    const bar = (share: number) => h("span", { class: "bar", style: `--share:${share.toFixed(4)}` });
    replace(
      this.list,
      h(
        "table",
        { class: "functions" },
        h(
          "caption",
          {},
          `${metricWords(model, store.view.metric)} by function, ${found ? `${rows.length} found among ` : ""}${every.length} in this region`,
        ),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...["itself", "", "with callees", "", "function", "where"].map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h(
          "tbody",
          {},
          ...rows.slice(0, kMostRows).map((row) =>
            h(
              "tr",
              {
                class: row.fn === chosen ? "chosen" : "",
                tabindex: 0,
                click: () => this.choose(row.fn),
                keydown: (event: KeyboardEvent) => event.key === "Enter" && this.choose(row.fn),
              },
              h("td", { class: "number" }, metricValue(store.view.metric, row.self)),
              h("td", { class: "bars" }, bar(row.self / all)),
              h("td", { class: "number" }, percent(row.total / all)),
              h("td", { class: "bars" }, bar(row.total / all)),
              h("td", { class: "name", title: model.functions.name[row.fn] }, withoutArguments(model.functions.name[row.fn])),
              titled(
                "td",
                "where",
                model.place(model.functions.file[row.fn], model.functions.line[row.fn]) || model.functions.module[row.fn],
              ),
            ),
          ),
        ),
      ),
    );
    if (chosen < 0) {
      replace(this.beside, h("p", { class: "hint" }, "Choose a function to see who calls it and what it calls."));
      return;
    }
    const { callers, callees } = callersAndCallees(model, sums, chosen);
    const neighbours = (title: string, list: Neighbour[]) => {
      const sum = list.reduce((total, row) => total + row.total, 0) || 1;
      return h(
        "table",
        {},
        h("caption", {}, title),
        h(
          "tbody",
          {},
          ...list.slice(0, 40).map((row) =>
            h(
              "tr",
              {
                tabindex: 0,
                click: () => this.choose(row.fn),
                keydown: (event: KeyboardEvent) => event.key === "Enter" && this.choose(row.fn),
              },
              h("td", { class: "number" }, metricValue(store.view.metric, row.total)),
              h("td", { class: "bars" }, bar(row.total / sum)),
              h(
                "td",
                { class: "name", title: model.functions.name[row.fn] },
                withoutArguments(model.functions.name[row.fn]) || "no caller: outermost",
              ),
            ),
          ),
        ),
      );
    };
    replace(
      this.beside,
      h("h3", { title: model.functions.name[chosen] }, withoutArguments(model.functions.name[chosen])),
      neighbours(callers.length ? "Called by" : "Without a caller in this region", callers),
      neighbours(callees.length ? "Calls" : "Calls nothing in this region", callees),
    );
  }
}
