// The results of a hunt (docs/hunt.md), as cards: which place causes how much of an event, and when.
import { Model, placeWords } from "../data/model";
import { h } from "../draw/dom";
import { count, moment, percent, withoutArguments } from "../format";
import { Context } from "./context";
import { placeLink } from "./placelink";

interface Place {
  function: string;
  file: string;
  line: number;
  module: string;
}

interface HuntResult {
  place: Place & { offset: number };
  share: number;
  error: number;
  row: { number: number; share: number; error: number }; // all of one source line
  when: { begin_s: number; end_s: number; quiet: boolean }[];
  call_path: Place[];
  direction: string;
}

interface Hunt {
  event: string;
  share: number;
  events: number;
  note: string;
}

const kMostResults = 40;
const kMostCallers = 3;
const kMostStretches = 4;

function name(place: Place): string {
  return withoutArguments(place.function) || place.module || "a place that has no name";
}

// A name and, in brackets, its place.
function words(model: Model, place: Place): (Node | string)[] {
  const at = placeWords(place.file, place.line);
  return at ? [`${name(place)} (`, placeLink(model, place.file, place.line, at), ")"] : [name(place)];
}

// Nothing if there was no hunt.
export function huntCards(context: Context): HTMLElement[] {
  const hunt = context.model.json.hunt as Hunt | null;
  if (!hunt) {
    return [];
  }
  const results = context.model.json.finds as HuntResult[];
  const rows = [...new Set(results.map((result) => result.row.number))].map((number) =>
    results.filter((result) => result.row.number === number),
  );
  return [
    h("h2", {}, `Hunt for ${hunt.event}`),
    ...rows.slice(0, kMostResults).map((row) => card(context, hunt, row)),
    h(
      "p",
      { class: "hint" },
      `${results.length ? "Places" : "No place was found"} that cause${results.length ? "" : "s"} ${percent(hunt.share)} of the event or more; ${count(hunt.events)} events looked at.` +
        (rows.length > kMostResults ? ` ${rows.length - kMostResults} more are in kymo report.` : "") +
        (hunt.note ? ` ${hunt.note}.` : ""),
    ),
  ];
}

// A source line; the first result has the largest share.
function card(context: Context, hunt: Hunt, row: HuntResult[]): HTMLElement {
  const result = row[0];
  const held = row
    .flatMap(({ when }) => when)
    .map(({ begin_s, end_s, quiet }) => `${moment(begin_s * 1e9, 1e6)} to ${quiet ? moment(end_s * 1e9, 1e6) : "the end"}`);
  const callers = result.call_path.slice(-kMostCallers).reverse();
  return h(
    "article",
    { class: "card" },
    h(
      "button",
      { class: "head", click: () => go(context, row) },
      h("span", { class: "stake" }, percent(result.row.share)),
      h("span", { class: "kind" }, `± ${percent(result.row.error)} of ${hunt.event}`),
      h("span", { class: "title" }, name(result.place)),
    ),
    h(
      "p",
      { class: "where" },
      ...words(context.model, result.place),
      ...callers.flatMap((caller, index) => [index ? " ← " : ", called from ", ...words(context.model, caller)]),
    ),
    h(
      "div",
      { class: "more" },
      row.length > 1
        ? h("p", { class: "hint" }, `${row.length} instructions: ${row.map(({ share }) => percent(share)).join(", ")}`)
        : null,
      h(
        "p",
        { class: "hint" },
        `held from ${held.slice(0, kMostStretches).join(", ")}${held.length > kMostStretches ? `, and ${count(held.length - kMostStretches)} more times` : ""}`,
      ),
      result.direction ? h("p", { class: "direction" }, result.direction) : null,
    ),
  );
}

// Goes to its function and its lines, and to the time of its hold.
function go(context: Context, row: HuntResult[]) {
  const { model, store } = context;
  const result = row[0];
  const when = row.flatMap((each) => each.when);
  const fn = model.functions.name.indexOf(result.place.function);
  const [low, high] = model.range;
  const begin = Math.max(low, Math.min(...when.map((one) => one.begin_s * 1e9)));
  const end = Math.min(high, Math.max(...when.map((one) => one.end_s * 1e9)));
  store.all();
  store.set({
    order: "function",
    space: fn > 0 ? `f${fn}` : "",
    tab: "source",
    finding: -1,
    threads: null,
    brush: begin < end ? [begin, end] : null,
  });
}
