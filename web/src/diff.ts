// The page of `kymo diff -o`: two runs, or two sets of them.
import { h, replace, showFailure } from "./draw/dom";
import { palette } from "./draw/palette";
import { ratio } from "./diff/change";
import { Chosen } from "./diff/chosen";
import { Data, readData } from "./diff/data";
import { DiffFlame } from "./diff/flame";
import { Strips } from "./diff/strips";
import { amount, certainty, difference, tables } from "./diff/tables";

function whole(data: Data): HTMLElement {
  const cells = data.comparison.changes
    .filter((change) => change.kind === "whole")
    .map((change) =>
      h(
        "div",
        {},
        h("b", { class: change.differs ? (change.change > 0 ? "slower" : "faster") : "" }, `${difference(change)} `),
        `${ratio(change.base.median, change.new.median)} ${change.name}`,
        h(
          "div",
          { class: "hint" },
          `${amount(change, change.base.median)} → ${amount(change, change.new.median)} ${certaintyWords(data, certainty(data, change))}`,
        ),
      ),
    );
  return h("div", { class: "whole" }, ...cells);
}

function certaintyWords(data: Data, text: string): string {
  return data.comparison.has_p && text ? `· p ${text.startsWith("<") ? text : `= ${text}`}` : text;
}

function note(data: Data): string {
  const { has_p, base_runs, new_runs } = data.comparison;
  if (has_p) {
    return `${base_runs} and ${new_runs} runs; what is coloured in the tables differs significantly (p ≤ 0.05, adjusted for everything compared)`;
  }
  const runs = base_runs === 1 && new_runs === 1 ? "One run a side" : "Fewer than five runs a side";
  return `${runs}: the spread between runs is not known, so these are sizes only. Record five runs a side to see what is significant.`;
}

function show() {
  const data = readData();
  let theme = "";
  try {
    theme = localStorage.getItem("kymo-theme") ?? "";
  } catch {
    // not from files, in some browsers
  }
  const colours = () => palette(theme);
  const setTheme = (to: string) => {
    theme = to;
    document.documentElement.dataset.theme = colours().dark ? "dark" : "light";
    try {
      localStorage.setItem("kymo-theme", to);
    } catch {
      // it holds for this visit
    }
  };
  setTheme(theme);
  const chosen = new Chosen();
  const strips = new Strips(data, colours, chosen);
  const flame = new DiffFlame(data, colours, chosen);
  const redraw = () => {
    strips.draw();
    flame.draw();
  };
  document.title = `Kymo: ${data.base.side} → ${data.new.side}`;
  replace(
    document.getElementById("app")!,
    h(
      "header",
      { class: "top" },
      h("h1", { title: `${data.base.side} → ${data.new.side}` }, `${data.base.side} → ${data.new.side}`),
      h("span", { class: "facts" }, note(data)),
      h("span", { class: "spring" }),
      h("button", { click: () => (setTheme(colours().dark ? "light" : "dark"), redraw()) }, "light / dark"),
    ),
    ...data.comparison.warnings.map((text) => h("p", { class: "part slower" }, text)),
    whole(data),
    strips.element,
    flame.element,
    ...(tables(data, chosen).filter(Boolean) as HTMLElement[]),
  );
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      chosen.set("");
    }
  });
  redraw();
  requestAnimationFrame(() => setTimeout(() => performance.mark("kymo-first-picture")));
}

try {
  show();
} catch (error) {
  showFailure(error);
  throw error;
}
