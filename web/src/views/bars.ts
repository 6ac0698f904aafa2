// The bars between the views: contents, form and colours of the pictures.
import { whyEmpty } from "../data/empty";
import { chosenWords, threadsOf } from "../data/lanerows";
import { TimeMetric } from "../data/calltree";
import { Order } from "../data/spaces";
import { h } from "../draw/dom";
import { count, duration } from "../format";
import { kKeys } from "../keys";
import { Model } from "../data/model";
import { Store, Tab, View } from "../state";
import { servedBar } from "./served";

const kTabTitles: [Tab, string][] = [
  ["paths", "Call paths"],
  ["functions", "Functions"],
  ["source", "Source"],
  ["occurrences", "Occurrences"],
  ["patterns", "Patterns"],
  ["waits", "Waits"],
  ["channels", "Channels"],
  ["heavy", "Heavy code"],
  ["gaps", "Gaps"],
  ["address_map", "Address map"],
];

function select<T extends string>(
  store: Store,
  label: string,
  options: [T, string][],
  value: () => string,
  change: (value: T) => void,
): HTMLElement {
  const list = h("select", {
    "aria-label": label,
    change: (event: Event) => change((event.target as HTMLSelectElement).value as T),
  });
  for (const [key, words] of options) {
    list.append(h("option", { value: key, selected: key === value() }, words));
  }
  store.listen(() => (list.value = value()));
  return h("label", {}, label.startsWith("which") ? "" : `${label} `, list);
}

function button(words: string, title: string, click: () => void): HTMLElement {
  return h("button", { title, "aria-label": title, click }, words);
}

export function topBar(
  model: Model,
  search: HTMLElement,
  actions: { theme(): void; colours(): void; export(): void; help(): void },
): HTMLElement {
  const { run } = model;
  const command = run.command.join(" ");
  const program = (run.command[0] ?? "").slice((run.command[0] ?? "").lastIndexOf("/") + 1) || "recording";
  document.title = `${program.slice(0, 80)} – Kymo`;
  const started =
    run.start_unix_ns !== "0"
      ? new Date(Number(BigInt(run.start_unix_ns) / 1000000n)).toISOString().slice(0, 16).replace("T", " ")
      : "";
  const plural = (number: number, one: string) =>
    `${count(number)} ${one}${number === 1 ? "" : one.endsWith("s") ? "es" : "s"}`;
  const facts = [
    duration(run.duration),
    model.processes.length > 1 ? plural(model.processes.length, "process") : "",
    model.hosts.length ? "" : plural(model.threads.length, "thread"),
    run.processors ? plural(run.processors, "processor") : "",
    run.host ? `on ${run.host}` : "",
    started,
    run.ending && !/status 0$/.test(run.ending) && !model.hosts.length ? run.ending : "",
  ].filter(Boolean);
  return h(
    "header",
    { class: "top" },
    h("h1", { title: command }, program),
    h("span", { class: "facts" }, facts.join(" · ")),
    h("span", { class: "spring" }),
    search,
    button("◐", "dark or light (t)", actions.theme),
    button("◍", "colours that every kind of colour vision can distinguish", actions.colours),
    button("⤓", "save or print this view", actions.export),
    button("?", "keys (?)", actions.help),
  );
}

export function rowsBar(model: Model, store: Store, legend: HTMLElement): HTMLElement {
  const tints: [string, string][] = [
    ["state", "what threads did"],
    ...model.events.map((name, event): [string, string] => [String(event), `${name} per time`]),
  ];
  return h(
    "div",
    { class: "bar" },
    select<Order>(
      store,
      "Rows",
      [
        ["path", "by call path"],
        ["function", "by function"],
        ["address", "by address"],
      ],
      () => store.view.order,
      (order) => store.set({ order, space: "" }),
    ),
    select(
      store,
      "Colour",
      tints,
      () => String(store.view.tint),
      (value) => store.set({ tint: value === "state" ? "state" : Number(value) }),
    ),
    legend,
    h("span", { class: "spring" }),
    servedBar(model, store),
    button("−", "zoom out (−)", () => store.zoom(2, (store.view.from + store.view.to) / 2)),
    button("+", "zoom in (+)", () => store.zoom(0.5, (store.view.from + store.view.to) / 2)),
    button("All", "the whole run (0)", () => store.all()),
  );
}

const kMostListed = 500;

// The threads that all views show: all threads, a process's or rank's, or one.
function chooser(model: Model, store: Store): HTMLElement {
  const list = h("select", {
    "aria-label": "which threads",
    change: () => store.set({ threads: list.value === "" ? null : list.value.split(".").map(Number) }),
  });
  const option = (threads: number[] | null) =>
    h("option", { value: threads?.join(".") ?? "" }, threads ? chosenWords(model, threads) : "all threads");
  const processes = model.processes.map((_, process) => threadsOf(model, process)).filter((threads) => threads.length > 1);
  list.append(option(null));
  if (model.processes.length > 1 && processes.length) {
    const ranks = model.processes.some((process) => process.rank !== null);
    list.append(h("optgroup", { label: ranks ? "ranks" : "processes" }, ...processes.slice(0, kMostListed).map(option)));
  }
  const threads = [...model.threads.keys()].slice(0, kMostListed);
  list.append(
    h("optgroup", { label: "threads" }, ...threads.map((thread) => h("option", { value: thread }, model.threadTitle(thread)))),
  );
  const other = h("option", { value: "-", disabled: true });
  store.listen((view) => {
    const wanted = view.threads?.join(".") ?? "";
    const isListed = [...list.options].some((one) => one !== other && one.value === wanted);
    if (isListed) {
      other.remove();
    } else {
      other.textContent = chosenWords(model, view.threads);
      list.append(other);
    }
    list.value = isListed ? wanted : "-";
  });
  return h("label", {}, "of ", list);
}

// `goodDepth`: the first depth when threads are shown by function.
export function lanesBar(model: Model, store: Store, goodDepth: () => number): HTMLElement {
  const deepest = Math.max(
    1,
    model.nodeDepth.reduce((a, b) => Math.max(a, b), 1),
  );
  const depth = h("input", {
    type: "range",
    min: 1,
    max: deepest,
    "aria-label": "depth of call paths",
    input: (event: Event) => store.set({ lanes: "code", depth: Number((event.target as HTMLInputElement).value) }),
  });
  const depthLabel = h("label", { class: "depth" }, "depth ", depth);
  store.listen((view) => {
    depth.value = String(view.depth);
    depthLabel.hidden = view.lanes !== "code";
  });
  return h(
    "div",
    { class: "bar" },
    h("h2", {}, "Threads"),
    select(
      store,
      "which of the threads",
      [
        ["state", "what they did"],
        ["code", "where they were"],
      ],
      () => store.view.lanes,
      (lanes) => store.set({ lanes: lanes as View["lanes"], depth: store.view.depth > 1 ? store.view.depth : goodDepth() }),
    ),
    depthLabel,
    chooser(model, store),
    h("span", { class: "hint" }, model.waits.begin.length ? "arrows: which thread woke which" : ""),
  );
}

// Arrows go from tab to tab, and not through time.
function nextTab(event: KeyboardEvent) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) {
    return;
  }
  const tabs = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]:not([hidden])")];
  const next = tabs[tabs.indexOf(event.target as HTMLElement) + step];
  next?.focus();
  next?.click();
  event.preventDefault();
  event.stopPropagation();
}

export function bottomBar(model: Model, store: Store, summary: HTMLElement): HTMLElement {
  const tabs = h(
    "div",
    { class: "tabs", role: "tablist", keydown: nextTab },
    ...kTabTitles.map(([tab, words]) => h("button", { role: "tab", id: `tab-${tab}`, click: () => store.set({ tab }) }, words)),
  );
  store.listen((view) =>
    tabs
      .querySelectorAll("[role=tab]")
      .forEach((one) => one.setAttribute("aria-selected", String(one.id === `tab-${view.tab}`))),
  );
  // A tab with nothing to show is not offered; if the address requests it, it says why.
  store.listen((view) =>
    kTabTitles.forEach(([tab], index) => {
      (tabs.children[index] as HTMLElement).hidden = tab !== view.tab && whyEmpty(model, tab) !== null;
    }),
  );
  return h(
    "div",
    { class: "bar bottom" },
    tabs,
    h("span", { class: "spring" }),
    summary,
    select(
      store,
      "which cost",
      [
        ["processor", "processor time"],
        ["wall", "thread time"],
        ["waiting", "waiting"],
        ...model.events.map((name, event): [string, string] => [String(event), name]),
      ],
      () => String(store.view.metric),
      (metric) => store.set({ metric: /^\d+$/.test(metric) ? Number(metric) : (metric as TimeMetric) }),
    ),
  );
}

export function showHelp() {
  const dialog = h(
    "dialog",
    { class: "help" },
    h("h2", {}, "Keys"),
    h("table", {}, ...kKeys.map(([keys, words]) => h("tr", {}, h("td", {}, h("kbd", {}, keys)), h("td", {}, words)))),
    h(
      "p",
      {},
      "Drag over a picture to brush a stretch of time: everything below then shows that stretch. Brighter is more time.",
    ),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}
