// The changes, as tables: functions, call paths, waits, counts, findings.
import { h, replace } from "../draw/dom";
import { count, duration, percent } from "../format";
import { ratio, signed } from "./change";
import { Chosen } from "./chosen";
import { Change, Data, FindingChange } from "./data";

const kRows = 12;
const kTitles: [Change["kind"], string][] = [
  ["function", "Functions, by their own processor time"],
  ["path", "Call paths, with all that they call"],
  ["wait", "Waits"],
  ["event", "Counts over the whole run"],
];

export function amount(change: Change, value: number): string {
  return change.unit === "s" ? duration(value * 1e9) : count(value);
}

export function difference(change: Change): string {
  return change.unit === "s" ? signed(change.change * 1e9) : (change.change < 0 ? "−" : "+") + count(Math.abs(change.change));
}

export function certainty(data: Data, change: Change): string {
  if (data.comparison.has_p) {
    return change.p === null ? "" : change.p < 0.001 ? "< 0.001" : change.p.toFixed(3);
  }
  return change.error > 0 ? `± ${amount(change, change.error)}` : "";
}

function place(change: Change): string {
  const file = change.file?.slice(change.file.lastIndexOf("/") + 1);
  return file ? (change.line ? `${file}:${change.line}` : file) : "";
}

// A path's last functions: those before are in its title.
function shownName(change: Change): string {
  const all = change.kind === "path" ? change.shown.split(" › ") : [change.shown];
  const parts = all.slice(Math.max(0, all.indexOf("main"))); // callers of main are common to all paths
  return parts.length > 4 ? `… › ${parts.slice(-4).join(" › ")}` : parts.join(" › ");
}

// The function that the row is about.
function functionOf(change: Change): string {
  return change.kind === "path" ? change.shown.slice(change.shown.lastIndexOf(" › ") + 1).replace(/^› /, "") : change.shown;
}

function changeTable(data: Data, kind: Change["kind"], title: string, chosen: Chosen): HTMLElement | null {
  const all = data.comparison.changes.filter((change) => change.kind === kind);
  if (!all.length) {
    return null;
  }
  const sorted = [...all].sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const told = sorted.filter((change) => change.differs);
  let isAll = false;
  const body = h("tbody");
  const head = h("thead");
  const more = h("button", { click: () => show(!isAll) });
  const show = (everything: boolean) => {
    isAll = everything;
    const rows = everything ? sorted : told.slice(0, kRows);
    replace(body, ...rows.map((change) => row(data, change, chosen)));
    if (!rows.length) {
      replace(body, h("tr", {}, h("td", { class: "hint", colspan: 7 }, "no difference")));
    }
    more.textContent = everything ? "only what differs" : `all ${all.length}`;
    head.hidden = !rows.length;
    more.hidden = told.length === all.length && told.length <= kRows;
  };
  const heads = ["change", "", "base", "new", data.comparison.has_p ? "p" : "sampling"].map((words) =>
    h("th", { class: "number" }, words),
  );
  head.append(h("tr", {}, ...heads, h("th"), h("th")));
  show(false);
  return h("section", { class: "part" }, h("header", {}, h("h2", {}, title), more), h("table", {}, head, body));
}

function row(data: Data, change: Change, chosen: Chosen): HTMLElement {
  const name = functionOf(change);
  const words = [
    difference(change),
    ratio(change.base.median, change.new.median),
    amount(change, change.base.median),
    amount(change, change.new.median),
    certainty(data, change),
  ];
  const colour = change.differs ? (change.change > 0 ? " slower" : " faster") : "";
  const element = h(
    "tr",
    { class: "row", click: () => chosen.set(name) },
    ...words.map((text, i) => h("td", { class: `number${i < 2 ? colour : ""}` }, text)),
    h("td", { class: "name", title: change.shown }, shownName(change)),
    h("td", { class: "hint" }, place(change)),
  );
  chosen.onChange(() => element.classList.toggle("chosen", chosen.name === name));
  element.classList.toggle("chosen", chosen.name === name);
  return element;
}

function findingTable(data: Data): HTMLElement | null {
  const { findings } = data.comparison;
  const lines = (list: FindingChange[], words: string, colour: string) =>
    list.map((one) =>
      h(
        "tr",
        {},
        h("td", { class: colour }, words),
        h("td", { class: "number" }, one.base.runs ? percent(one.base.share) : ""),
        h("td", { class: "number" }, one.new.runs ? percent(one.new.share) : ""),
        h("td", {}, one.kind),
        h("td", { class: "name" }, one.title),
      ),
    );
  const rows = [
    ...lines(findings.new, "new", "slower"),
    ...lines(findings.changed, "changed", ""),
    ...lines(findings.gone, "gone", "faster"),
  ];
  return rows.length
    ? h(
        "section",
        { class: "part" },
        h("header", {}, h("h2", {}, "Findings")),
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h("tr", {}, h("th"), h("th", { class: "number" }, "base"), h("th", { class: "number" }, "new"), h("th"), h("th")),
          ),
          h("tbody", {}, ...rows),
        ),
      )
    : null;
}

export function tables(data: Data, chosen: Chosen): (HTMLElement | null)[] {
  return [findingTable(data), ...kTitles.map(([kind, title]) => changeTable(data, kind, title, chosen))];
}
