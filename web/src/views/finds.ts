// What a hunt found (docs/hunt.md), as cards: which place causes how much of an event, and when.
import { h } from "../draw/dom";
import { count, moment, percent, withoutArguments } from "../format";
import { Context } from "./context";

interface Place {
  function: string;
  file: string;
  line: number;
  module: string;
}

interface Find {
  place: Place & { offset: number };
  share: number;
  error: number;
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

const kMostFinds = 40;
const kMostCallers = 3;

function words(place: Place): string {
  const file = place.file.slice(place.file.lastIndexOf("/") + 1);
  const at = file ? ` (${file}${place.line ? `:${place.line}` : ""})` : "";
  return (withoutArguments(place.function) || place.module || "a place that has no name") + at;
}

// Nothing where there was no hunt.
export function findCards(context: Context): HTMLElement[] {
  const hunt = context.model.json.hunt as Hunt | null;
  if (!hunt) {
    return [];
  }
  const finds = context.model.json.finds as Find[];
  return [
    h("h2", {}, `Hunt for ${hunt.event}`),
    ...finds.slice(0, kMostFinds).map((find) => card(context, hunt, find)),
    h(
      "p",
      { class: "hint" },
      `${finds.length ? "Places" : "No place was found"} that cause${finds.length ? "" : "s"} ${percent(hunt.share)} of the event or more; ${count(hunt.events)} events looked at.` +
        (finds.length > kMostFinds ? ` ${finds.length - kMostFinds} more are in kymo report.` : "") +
        (hunt.note ? ` ${hunt.note}.` : ""),
    ),
  ];
}

function card(context: Context, hunt: Hunt, find: Find): HTMLElement {
  const ruled = find.when.map(
    ({ begin_s, end_s, quiet }) => `${moment(begin_s * 1e9, 1e6)} to ${quiet ? moment(end_s * 1e9, 1e6) : "the end"}`,
  );
  const callers = find.call_path.slice(-kMostCallers).reverse();
  return h(
    "article",
    { class: "card" },
    h(
      "button",
      { class: "head", click: () => go(context, find) },
      h("span", { class: "stake" }, percent(find.share)),
      h("span", { class: "kind" }, `± ${percent(find.error)} of ${hunt.event}`),
      h("span", { class: "title" }, words(find.place)),
      callers.length ? h("span", { class: "where" }, `called from ${callers.map(words).join(" ← ")}`) : null,
    ),
    h(
      "div",
      { class: "more" },
      h("p", { class: "hint" }, `ruled from ${ruled.join(", ")}`),
      find.direction ? h("p", { class: "direction" }, find.direction) : null,
    ),
  );
}

// To its function and its lines, and to the time at which it ruled.
function go(context: Context, find: Find) {
  const { model, store } = context;
  const fn = model.functions.name.indexOf(find.place.function);
  const [low, high] = model.range;
  const begin = Math.max(low, Math.min(...find.when.map((one) => one.begin_s * 1e9)));
  const end = Math.min(high, Math.max(...find.when.map((one) => one.end_s * 1e9)));
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
