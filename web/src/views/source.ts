// Source lines of the chosen space's function, heated by the region's time; beside them its instructions.
import { leafValues, libraryLines, lineSums, metricValue } from "../data/calltree";
import { instructionHeat, Listing } from "./instructions";
import { DataBlob, hasBlob } from "../data/blob";
import { Colour, heat } from "../draw/palette";
import { h, replace } from "../draw/dom";
import { percent, withoutArguments } from "../format";
import { View } from "../state";
import { anyOf, Changed, Context, ViewPart } from "./context";
import { placeLink } from "./placelink";

interface SourcePart {
  file: number;
  first: number;
  lines: string[];
}

export class Source implements ViewPart {
  readonly element = h("div", { class: "panel split" });
  private parts: SourcePart[] | null = null;
  private listings: Listing[] = [];
  private notes: string[] = [];
  private opening = false;

  constructor(private context: Context) {}

  update(view: View, changed: Changed) {
    if (!this.parts) {
      this.open();
      return;
    }
    if (anyOf(changed, "from", "to", "brush", "threads", "space", "order", "metric", "tab", "theme")) {
      this.fill(view);
    }
  }

  private async open() {
    if (this.opening) {
      return;
    }
    this.opening = true;
    if (hasBlob("code")) {
      const blob = await DataBlob.open("code");
      this.parts = blob.json.sources;
      this.listings = blob.json.listings;
    } else {
      this.parts = [];
      this.notes = ["This page was made without sources (--no-sources)."];
    }
    this.fill(this.context.store.view);
  }

  // The function to show: the chosen space's; if that is a library's, or none is chosen, the own function with the highest
  // cost there, including the libraries that it calls. Without own code, the hottest.
  private function(values: Float64Array): number {
    const { model } = this.context;
    const selected = this.context.selected();
    const fn = selected ? this.context.tree().fn[selected.node] : -1;
    if (fn >= 0 && (this.context.tree().order !== "path" || (model.isOwn(fn) && this.hasLines(fn)))) {
      return fn;
    }
    const own = this.hottest(values, true);
    return own >= 0 ? own : this.hottest(values, false);
  }

  private hasLines(fn: number): boolean {
    const { model } = this.context;
    return model.lineFunction.some((of, line) => of === fn && model.lineNumber[line] > 0);
  }

  private hottest(values: Float64Array, isOwn: boolean): number {
    const { model } = this.context;
    const selected = this.context.selected();
    const byFunction = new Map<number, number>();
    const add = (line: number, leaf: number, value: number) => {
      const fn = model.lineFunction[line];
      if (line && (!selected || selected.leaves[leaf]) && model.isOwn(fn) === isOwn) {
        byFunction.set(fn, (byFunction.get(fn) ?? 0) + value);
      }
    };
    values.forEach((value, leaf) => add(model.leafLine[leaf], leaf, value));
    if (isOwn) {
      model.own.leaf.forEach((leaf, row) => add(model.own.line[row], leaf, values[leaf] * model.own.share[row]));
    }
    let best = -1;
    for (const [fn, value] of byFunction) {
      if (value > 0 && (best < 0 || value > byFunction.get(best)!)) {
        best = fn;
      }
    }
    return best;
  }

  private fill(view: View) {
    const { model } = this.context;
    const values = leafValues(this.context.region(), view.metric);
    const fn = this.function(values);
    if (fn < 0) {
      replace(this.element, h("p", { class: "hint" }, "Nothing with a source line in this region."));
      return;
    }
    const itself = lineSums(model, values, fn);
    const libraries = model.isOwn(fn) ? libraryLines(model, values, fn) : new Map<number, number>();
    const sums = new Map(itself);
    libraries.forEach((value, line) => sums.set(line, (sums.get(line) ?? 0) + value));
    const all = values.reduce((sum, value) => sum + value, 0) || 1;
    const most = Math.max(...sums.values(), 1);
    const files = new Map<number, number>();
    for (let leaf = 0; leaf < values.length; leaf++) {
      const line = model.leafLine[leaf];
      if (line && model.lineFunction[line] === fn) {
        files.set(model.lineFile[line], (files.get(model.lineFile[line]) ?? 0) + values[leaf] + 1e-9);
      }
    }
    model.own.leaf.forEach((leaf, row) => {
      const line = model.own.line[row];
      if (model.lineFunction[line] === fn) {
        files.set(model.lineFile[line], (files.get(model.lineFile[line]) ?? 0) + values[leaf] * model.own.share[row] + 1e-9);
      }
    });
    const file = [...files].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
    const colour = heatColour(this.context, view);
    const title = h(
      "h3",
      { title: model.functions.name[fn] },
      `${withoutArguments(model.functions.name[fn])}  `,
      placeLink(
        model,
        model.files[file] ?? "",
        [...sums].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0,
        h("small", {}, model.files[file]),
      ),
    );
    const words = (line: number) => {
      const inLibraries = libraries.get(line) ?? 0;
      return inLibraries
        ? `${metricValue(view.metric, itself.get(line) ?? 0)} itself, ${metricValue(view.metric, inLibraries)} in libraries that it calls`
        : "";
    };
    const parts = this.parts!.filter((part) => part.file === file);
    const hottest = [...sums].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
    const rows: HTMLElement[] = [];
    let lastLine = 0;
    for (const part of parts) {
      if (lastLine && part.first > lastLine + 1) {
        rows.push(h("div", { class: "line skipped" }, "⋯"));
      }
      part.lines.forEach((text, index) => {
        const number = part.first + index;
        const value = sums.get(number) ?? 0;
        rows.push(
          h(
            "div",
            {
              class: `line${value ? " hot" : ""}`,
              style: value ? `background:${heat(colour, value / most)}` : "",
              "data-line": number,
            },
            h("span", { class: "value", title: value ? words(number) : "" }, value ? percent(value / all) : ""),
            h("span", { class: "number" }, placeLink(model, model.files[file] ?? "", number, String(number))),
            h("code", {}, text || " "),
          ),
        );
        lastLine = number;
      });
    }
    if (!parts.length) {
      rows.push(
        h(
          "p",
          { class: "hint" },
          file
            ? "The source was not readable when this page was made."
            : "No debug information says where this code comes from.",
        ),
        ...[...sums]
          .sort((a, b) => b[1] - a[1])
          .slice(0, 40)
          .map(([line, value]) =>
            h(
              "div",
              { class: "line" },
              `${percent(value / all)}  ${model.place(file, line) || "line not known"}  ${metricValue(view.metric, value)}`,
            ),
          ),
      );
    }
    const code = h("div", { class: "code" }, ...rows);
    replace(
      this.element,
      h("div", { class: "column wide" }, title, code, ...this.notes.map((note) => h("p", { class: "hint" }, note))),
      this.listing(fn, view, itself),
    );
    const row = code.querySelector<HTMLElement>(`[data-line="${hottest}"]`);
    if (row) {
      code.scrollTop = row.offsetTop - code.clientHeight / 2;
    }
  }

  private listing(fn: number, view: View, lines: Map<number, number>): HTMLElement | null {
    const listing = this.listings.find((one) => one.fns.includes(fn));
    if (!listing) {
      return null;
    }
    const { values, isExact } = instructionHeat(this.context, listing, view.metric, lines);
    const most = values.reduce((a, b) => Math.max(a, b), 0) || 1;
    const sum = values.reduce((a, b) => a + b, 0) || 1;
    const colour = heatColour(this.context, view);
    const code = h(
      "div",
      { class: "code" },
      ...listing.rows.map(([offset, line, , text], row) =>
        h(
          "div",
          {
            class: `line${values[row] > 0 ? " hot" : ""}`,
            style: values[row] > 0 ? `background:${heat(colour, values[row] / most)}` : "",
          },
          h("span", { class: "value" }, values[row] > 0 ? percent(values[row] / sum) : ""),
          h("span", { class: "number" }, offset.toString(16)),
          h("code", {}, text),
          h("span", { class: "from" }, line ? `:${line}` : ""),
        ),
      ),
    );
    const hottest = values.indexOf(most);
    requestAnimationFrame(() => {
      const row = code.children[hottest] as HTMLElement | undefined;
      code.scrollTop = row ? row.offsetTop - code.clientHeight / 2 : 0;
    });
    const how = isExact ? "one late is usual" : "within a line as in the whole run; one late is usual";
    return h("div", { class: "column" }, h("h3", {}, "Instructions  ", h("small", {}, how)), code);
  }
}

function heatColour(context: Context, view: View): Colour {
  const palette = context.palette();
  return typeof view.metric === "number" ? palette.event : palette.channels[view.metric === "waiting" ? 4 : 0];
}
