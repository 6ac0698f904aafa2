// Reads the page's data, lays out the views and joins them to the current view.
import { Model } from "./data/model";
import { leavesBeneath, makeSpaces, Order, SpaceTree, LeafTimes } from "./data/spaces";
import { sumTimes } from "./data/sums";
import { findSpaces } from "./data/find";
import { Finding } from "./data/finding";
import { isReading } from "./data/blob";
import { chosenWords } from "./data/lanerows";
import { openOccurrences, readOccurrences, KeptOccurrences } from "./data/kept_occurrences";
import { css, kChannelNames, kChannelTitles, kChannelWords, palette, Palette } from "./draw/palette";
import { FittedNames } from "./draw/cut";
import { h, replace, showFailure } from "./draw/dom";
import { rem } from "./draw/surface";
import { duration, moment, percent } from "./format";
import { takeKeys } from "./keys";
import { Panes } from "./panes";
import { Store, Tab, View } from "./state";
import { banner } from "./views/banner";
import { bottomBar, lanesBar, rowsBar, showHelp, topBar } from "./views/bars";
import { Channels } from "./views/channels";
import { anyOf, Changed, Context, ViewPart } from "./views/context";
import { showExport } from "./views/export";
import { Findings } from "./views/findings";
import { Flame } from "./views/flame";
import { FunctionTable } from "./views/functions";
import { Gaps } from "./views/gaps";
import { Heavy } from "./views/heavy";
import { Kymograph } from "./views/kymograph";
import { Lanes } from "./views/lanes";
import { AddressMap } from "./views/address_map";
import { gutter, watchGutter } from "./views/layout";
import { Occurrences } from "./views/occurrences";
import { Overview } from "./views/overview";
import { Patterns } from "./views/patterns";
import { Search } from "./views/search";
import { Source } from "./views/source";
import { spoken } from "./views/spoken";
import { Tracks } from "./views/tracks";
import { WaitList } from "./views/waitlist";

const kSettled = 120; // ms without a change

class Page implements Context {
  readonly store: Store;
  private colours: Palette;
  private trees = new Map<Order, SpaceTree>();
  private whole: LeafTimes;
  private regionNow: { key: string; times: LeafTimes } | null = null;
  private selectedNow: { key: string; value: { node: number; leaves: Uint8Array } | null } | null = null;
  private occurrencesNow: { key: string; value: KeptOccurrences | null } | null = null;
  private above: ViewPart[] = [];
  private below = new Map<Tab, ViewPart>();
  readonly findings: Finding[];
  private cards: Findings;
  private searchField: Search;
  private foundNow: { key: string; value: number[] | null } | null = null;
  private stage = h("main", { class: "stage" });
  private legend = h("div", { class: "legend", "aria-label": "colours" });
  private summary = h("div", { class: "summary", role: "status", "aria-live": "polite" });
  private panel = h("div", { class: "panels" });
  private panelNames = new FittedNames(this.panel, "td.name, td.of, td.filled, td.thread, td.where, .offer");
  private crosshair = h("div", { class: "crosshair", hidden: true });

  constructor(readonly model: Model) {
    this.store = Store.start(model.range, model.events);
    if (this.store.view.threads) {
      const known = this.store.view.threads.filter((thread) => thread < model.threads.length);
      this.store.view.threads = known.length ? known : null;
    }
    this.colours = palette(this.store.view.theme, this.store.view.colours === "cvd");
    const threads = model.threads.map((_, thread) => thread);
    this.whole = sumTimes(model, model.levels.coarsest(), model.range[0], model.range[1], threads);
    this.findings = model.json.findings?.bad ?? [];
    this.cards = new Findings(this);
    this.searchField = new Search(this, () => [this.panel, this.stage.querySelector(".rows")!]);
    this.layOut();
    this.store.listen((view, changed) => this.update(view, changed));
    takeKeys(this.store, {
      findings: this.cards,
      search: () => this.searchField.open(),
      help: showHelp,
      theme: () => this.toggleTheme(),
      model,
    });
    this.update(this.store.view, new Set(Object.keys(this.store.view) as (keyof View)[]));
  }

  // ---- Context ----

  palette(): Palette {
    return this.colours;
  }

  tree(): SpaceTree {
    const { order } = this.store.view;
    let tree = this.trees.get(order);
    if (!tree) {
      this.trees.set(order, (tree = makeSpaces(this.model, order, this.whole)));
    }
    return tree;
  }

  threads(): number[] {
    return this.store.view.threads ?? this.model.threads.map((_, thread) => thread);
  }

  regionBounds(): [number, number] {
    const { brush, from, to } = this.store.view;
    return brush ?? [from, to];
  }

  region(): LeafTimes {
    const [from, to] = this.regionBounds();
    const level = this.level((to - from) / 400);
    const key = `${from} ${to} ${level.width} ${this.threads().join()}`;
    if (this.regionNow?.key !== key) {
      const [low, high] = this.model.range;
      const isWhole = from === low && to === high && !this.store.view.threads;
      this.regionNow = { key, times: isWhole ? this.whole : sumTimes(this.model, level, from, to, this.threads()) };
    }
    return this.regionNow.times;
  }

  selected() {
    const { space, order } = this.store.view;
    const key = `${order} ${space}`;
    if (this.selectedNow?.key !== key) {
      const tree = this.tree();
      const node = space ? tree.key.indexOf(space) : -1;
      this.selectedNow = { key, value: node > 0 ? { node, leaves: leavesBeneath(tree, node) } : null };
    }
    return this.selectedNow.value;
  }

  occurrences(): KeptOccurrences | null {
    const { space, order } = this.store.view;
    const key = `${order} ${space}`;
    if (this.occurrencesNow?.key !== key) {
      this.occurrencesNow = { key, value: readOccurrences(this.model, this.selected(), this.tree()) };
    }
    return this.occurrencesNow.value;
  }

  found(): number[] | null {
    const { find, order } = this.store.view;
    const key = `${order} ${find}`;
    if (this.foundNow?.key !== key) {
      this.foundNow = { key, value: find ? findSpaces(this.tree(), find) : null };
    }
    return this.foundNow.value;
  }

  forgetOccurrences() {
    this.occurrencesNow = null;
    this.store.redraw();
  }

  level(width: number) {
    return this.model.levels.best(width);
  }

  goToFinding(index: number) {
    this.cards.go(index);
  }

  // ---- layout ----

  private layOut() {
    const { model } = this;
    const bars = {
      top: topBar(model, this.searchField.element, {
        theme: () => this.toggleTheme(),
        colours: () => this.store.set({ colours: this.store.view.colours ? "" : "cvd" }),
        export: showExport,
        help: showHelp,
      }),
      rows: rowsBar(model, this.store, this.legend),
      lanes: lanesBar(model, this.store, () => this.goodDepth()),
      bottom: bottomBar(model, this.store, this.summary),
    };
    const overview = new Overview(this);
    const kymograph = new Kymograph(this);
    const lanes = new Lanes(this);
    const tracks = new Tracks(this);
    this.above = [this.cards, overview, kymograph, lanes, tracks];
    const panes = [
      { name: "overview", title: "the whole run", element: overview.element },
      { name: "kymograph", title: "the kymograph", element: kymograph.element, bar: bars.rows },
      { name: "threads", title: "threads", element: lanes.element, bar: bars.lanes },
      { name: "tracks", title: "metrics", element: tracks.element },
      { name: "panel", title: "what is below", element: this.panel, bar: bars.bottom },
    ];
    const rows = new Panes("rows", true, panes, ["overview", "kymograph", "threads", "panel"]);
    const columns = new Panes(
      "columns",
      false,
      [
        { name: "findings", title: "findings", element: this.cards.element },
        { name: "stage", title: "everything else", element: this.stage },
      ],
      ["findings"],
    );
    const [findings, splitter] = columns.elements();
    for (const { name, title, bar } of panes) {
      const words = `${title} alone, and back`;
      bar?.append(h("button", { title: words, "aria-label": words, click: () => rows.enlarge(name, findings, splitter) }, "□"));
    }
    replace(this.stage, ...rows.elements(), this.crosshair);
    if (model.hosts.length) {
      // A recording of hosts has no code to show.
      this.stage.classList.add("of-hosts");
      findings.hidden = splitter.hidden = true;
    }
    const app = document.getElementById("app")!;
    replace(
      app,
      bars.top,
      banner(model, () => this.store.write()),
      h("div", { class: "work" }, ...columns.elements()),
    );
    watchGutter(this.stage);
    this.stage.addEventListener("pointermove", (event) => {
      const x = event.clientX - this.stage.getBoundingClientRect().left;
      this.crosshair.hidden = x < gutter() || !(event.target as Element).closest(".picture, .overview");
      this.crosshair.style.left = `${x}px`;
    });
    this.stage.addEventListener("pointerleave", () => (this.crosshair.hidden = true));
    const scroll = kymograph.element.querySelector<HTMLElement>(".scroll")!;
    const setBar = () =>
      document.documentElement.style.setProperty("--scrollbar", `${scroll.offsetWidth - scroll.clientWidth}px`);
    setBar();
    addEventListener("resize", setBar);
    const lanesHeight = Math.min(Math.max(lanes.rowCount(), 2) * rem() * 1.7, innerHeight * 0.26);
    lanes.element.style.flex = `0 1 ${Math.round(lanesHeight)}px`;
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", () =>
      this.store.set({ theme: this.store.view.theme }),
    );
  }

  // The depth at which the run's threads first differ: the deepest call path common to nearly all time, and one more.
  private goodDepth(): number {
    const { model } = this;
    const tree = this.trees.get("path") ?? makeSpaces(model, "path", this.whole);
    let node = 0;
    let depth = 0;
    for (;;) {
      const next = tree.children[node][0];
      if (next === undefined || tree.heat[next] < 0.75 * tree.heat[node]) {
        return Math.max(1, depth + 1);
      }
      node = next;
      depth++;
    }
  }

  toggleTheme() {
    this.store.set({ theme: this.colours.dark ? "light" : "dark" });
  }

  // ---- updating ----

  private makePanel(tab: Tab): ViewPart {
    switch (tab) {
      case "paths":
        return new Flame(this);
      case "functions":
        return new FunctionTable(this);
      case "source":
        return new Source(this);
      case "occurrences":
        return new Occurrences(this);
      case "patterns":
        return new Patterns(this);
      case "waits":
        return new WaitList(this);
      case "channels":
        return new Channels(this);
      case "gaps":
        return new Gaps(this);
      case "address_map":
        return new AddressMap(this);
      case "heavy":
        return new Heavy(this);
    }
  }

  private settle = 0;
  private due: Changed = new Set(); // changes that the panel below has not shown yet

  // Nothing is under way any more: all requests are drawn.
  isQuiet(): boolean {
    return !this.settle && !this.store.isBusy && !isReading();
  }

  private update(view: View, changed: Changed) {
    if (anyOf(changed, "theme", "colours")) {
      changed.add("theme");
      document.documentElement.dataset.colours = view.colours;
      this.colours = palette(view.theme, view.colours === "cvd");
      document.documentElement.dataset.theme = this.colours.dark ? "dark" : "light";
    }
    for (const part of this.above) {
      part.update(view, changed);
    }
    this.searchField.update(view, changed);
    if (anyOf(changed, "theme", "tint")) {
      this.fillLegend();
    }
    changed.forEach((key) => this.due.add(key));
    clearTimeout(this.settle);
    this.settle = 0;
    // The views below show a region: while that is being moved they may lag, so that moving stays smooth.
    if (anyOf(changed, "from", "to", "brush") && !anyOf(changed, "tab", "space", "threads", "order", "metric")) {
      this.settle = window.setTimeout(() => {
        this.settle = 0;
        this.updateBelow();
      }, kSettled);
    } else {
      this.updateBelow();
    }
  }

  private updateBelow() {
    const { view } = this.store;
    let changed = this.due;
    this.due = new Set();
    let part = this.below.get(view.tab);
    if (!part) {
      this.below.set(view.tab, (part = this.makePanel(view.tab)));
      changed = new Set(Object.keys(view) as (keyof View)[]);
    }
    if (this.panel.firstChild !== part.element) {
      replace(this.panel, part.element);
      this.panel.setAttribute("role", "tabpanel");
      this.panel.setAttribute("aria-labelledby", `tab-${view.tab}`);
      changed = new Set(Object.keys(view) as (keyof View)[]);
    }
    part.update(view, changed);
    this.panelNames.fit();
    this.summarise();
  }

  private summarise() {
    const { view } = this.store;
    const [from, to] = this.regionBounds();
    const times = this.region();
    const sums = new Float64Array(8);
    times.byState.forEach((ns, at) => (sums[at & 7] += ns));
    const on = sums[0] + sums[1] + sums[6];
    const threads = chosenWords(this.model, view.threads);
    const [low, high] = this.model.range;
    const where =
      from === low && to === high
        ? "whole run"
        : `${moment(from, to - from > 1e9 ? 1e7 : (to - from) / 100)} + ${duration(to - from)}`;
    // If there is not room for all of it, whole pieces from the end are not shown.
    const pieces = [
      `${view.brush ? "Brushed: " : ""}${this.model.excerpt ? "about " : ""}${duration(on)} on processors`,
      ` (${percent(on / Math.max(to - from, 1))} of one)`,
      `, ${where}`,
      `, ${threads}`,
    ];
    replace(this.summary, ...pieces.map((piece) => h("span", {}, piece)));
    this.summary.title = pieces.join("");
    const words = spoken(this);
    for (const [selector, what, told] of [
      [".kymograph .picture canvas", "code against time", words.code],
      [".flame canvas", "call paths", words.code],
      [".threads canvas", "threads against time", words.threads],
      [".overview canvas", "states of threads against time", words.threads],
    ]) {
      this.stage.querySelector(selector)?.setAttribute("aria-label", `${what}, ${where}: ${told}`);
    }
  }

  private fillLegend() {
    const { tint } = this.store.view;
    if (tint !== "state") {
      replace(
        this.legend,
        h("span", {}, "few"),
        h("i", {
          class: "ramp",
          style: `background:linear-gradient(to right,${[0, 64, 128, 192, 255].map((step) => css(this.colours.rate[step])).join()})`,
        }),
        h("span", {}, "many"),
      );
      return;
    }
    const seen = [0, 1, 6, 2, 3, 4].map((state) => this.model.threads.some((thread) => (thread.states[state] ?? 0) > 0));
    replace(
      this.legend,
      ...kChannelNames.map((name, channel) =>
        seen[channel] || channel === 0
          ? h(
              "span",
              { title: kChannelTitles[channel] },
              h("i", { style: `background:${css(this.colours.channels[channel])}` }),
              name,
              h("small", { class: name }, `: ${kChannelWords[channel]}`),
            )
          : null,
      ),
    );
  }
}

async function start() {
  let page: Page | null = null;
  try {
    const model = await Model.load(() => page?.store.redraw());
    page = new Page(model);
    (window as any).kymo = page; // for the console, and for tests
    const shown = page;
    requestAnimationFrame(() =>
      setTimeout(() => {
        performance.mark("kymo-first-picture");
        openOccurrences().then(() => shown.forgetOccurrences());
      }),
    );
  } catch (error) {
    showFailure(error);
    throw error;
  }
}

start();
