// Messages between parties: a matrix of senders and receivers, and the pairs as a list. Of the whole run.
import { whyEmpty } from "../data/empty";
import { ChannelTable, Party } from "../data/model";
import { threadsOf } from "../data/lanerows";
import { heat } from "../draw/palette";
import { h, replace, titled } from "../draw/dom";
import { compact, count, duration } from "../format";
import { View } from "../state";
import { anyOf, Changed, Context, ViewPart } from "./context";

const kMostParties = 32; // side by side; the rest are one
const kMostListed = 300;

const kMeasures = {
  bytes: "bytes",
  messages: "messages",
  sending: "time of the sender in its calls",
  receiving: "time of the receiver in its calls",
};
type Measure = keyof typeof kMeasures;

function bytesText(value: number): string {
  const text = compact(value);
  return `${text}${text.includes(" ") ? "" : " "}B`;
}

interface Sent {
  from: number;
  to: number;
  messages: number;
  bytes: number;
  sending: number;
  receiving: number;
}

export class Channels implements ViewPart {
  readonly element = h("div", { class: "panel split" });
  private measure: Measure = "bytes";
  private readonly tables: [string, ChannelTable][];
  private table: ChannelTable | undefined;

  constructor(private context: Context) {
    const { tables } = context.model.channels;
    this.tables = tables.map((table) => [table.kind === "mpi" ? "MPI" : "pipes, sockets, declared channels", table]);
    if (tables.length > 1) {
      this.tables.unshift(["all channels", this.joined(tables)]);
    }
    this.table = this.tables[0]?.[1];
  }

  // Transports of MPI's messages from rank to rank are left out: they would count these twice.
  private joined(tables: ChannelTable[]): ChannelTable {
    const { parties } = this.context.model.channels;
    const pairs = tables.flatMap((table) =>
      table.pairs.filter(([from, to]) => table.kind === "mpi" || parties[from].rank === null || parties[to].rank === null),
    );
    const left = tables.reduce((sum, table) => sum + table.all - table.pairs.length, 0);
    return { kind: "ends", all: pairs.length + left, pairs, others: tables.flatMap((table) => table.others) };
  }

  update(_view: View, changed: Changed) {
    if (this.table && (anyOf(changed, "theme", "threads") || !this.element.firstChild)) {
      this.show(this.table);
    } else if (!this.table) {
      replace(this.element, h("p", { class: "hint" }, whyEmpty(this.context.model, "channels") ?? ""));
    }
  }

  private show(table: ChannelTable) {
    const pairs = table.pairs.map(([from, to, messages, bytes, sending, receiving]) => ({
      from,
      to,
      messages,
      bytes,
      sending,
      receiving,
    }));
    pairs.sort((a, b) => b[this.measure] - a[this.measure]);
    replace(
      this.element,
      h("div", { class: "column wide" }, this.choices(table), this.matrix(pairs)),
      h("div", { class: "column" }, h("div", { class: "list" }, this.list(table, pairs), this.others(table))),
    );
  }

  private choices(table: ChannelTable): HTMLElement {
    const measure = h(
      "select",
      {
        "aria-label": "what the matrix shows",
        change: () => {
          this.measure = measure.value as Measure;
          this.show(table);
        },
      },
      ...Object.entries(kMeasures).map(([key, words]) => h("option", { value: key, selected: key === this.measure }, words)),
    );
    const kind = h(
      "select",
      {
        "aria-label": "which channels",
        change: () => {
          this.table = this.tables[Number(kind.value)][1];
          this.show(this.table);
        },
      },
      ...this.tables.map(([words, one], i) => h("option", { value: i, selected: one === table }, words)),
    );
    return h(
      "div",
      { class: "bar" },
      h("label", {}, kind),
      h("label", {}, measure),
      h("span", { class: "hint" }, "rows send, columns receive"),
    );
  }

  private words(value: number): string {
    return this.measure === "sending" || this.measure === "receiving"
      ? duration(value)
      : this.measure === "bytes"
        ? bytesText(value)
        : count(value);
  }

  private name(party: number): string {
    return party < 0 ? `${count(-party)} others` : this.context.model.channels.parties[party].name;
  }

  private title(pair: Sent): string {
    return (
      `${this.name(pair.from)} → ${this.name(pair.to)}: ${count(pair.messages)} messages, ${count(pair.bytes)} bytes, ` +
      `${duration(pair.sending)} in calls that send, ${duration(pair.receiving)} in calls that receive`
    );
  }

  // The threads of the parties become the ones that all views show.
  private choose(parties: number[]) {
    const { model, store } = this.context;
    const threads = [
      ...new Set(parties.filter((party) => party >= 0).flatMap((party) => this.threadsOf(model.channels.parties[party]))),
    ];
    store.set({ threads: threads.length ? threads.sort((a, b) => a - b) : null });
  }

  private threadsOf(party: Party): number[] {
    const { model } = this.context;
    if (party.outside) {
      return [];
    }
    const processes = model.processes.flatMap((process, i) =>
      (party.rank !== null ? process.rank === party.rank : process.pid === party.pid) ? [i] : [],
    );
    return processes
      .flatMap((process) => threadsOf(model, process))
      .filter((thread) => !party.thread || model.threads[thread].tid === party.thread);
  }

  private isChosen(party: number): boolean {
    const { threads } = this.context.store.view;
    return (
      threads !== null &&
      party >= 0 &&
      this.threadsOf(this.context.model.channels.parties[party]).some((one) => threads.includes(one))
    );
  }

  private matrix(pairs: Sent[]): HTMLElement {
    const weight = new Map<number, number>();
    for (const pair of pairs) {
      for (const party of [pair.from, pair.to]) {
        weight.set(party, (weight.get(party) ?? 0) + pair.bytes + pair.messages);
      }
    }
    const all = [...weight.keys()];
    const few =
      all.length > kMostParties ? all.sort((a, b) => weight.get(b)! - weight.get(a)!).slice(0, kMostParties - 1) : all;
    const shown = few.sort((a, b) => a - b);
    const others = -(all.length - shown.length);
    const rowOf = new Map(shown.map((party, i) => [party, i]));
    const parties = others ? [...shown, others] : shown;
    const cells = parties.map(() => parties.map(() => null as Sent | null));
    for (const pair of pairs) {
      const from = rowOf.get(pair.from) ?? parties.length - 1;
      const to = rowOf.get(pair.to) ?? parties.length - 1;
      const cell = (cells[from][to] ??= {
        from: parties[from],
        to: parties[to],
        messages: 0,
        bytes: 0,
        sending: 0,
        receiving: 0,
      });
      for (const key of Object.keys(kMeasures) as Measure[]) {
        cell[key] += pair[key];
      }
    }
    const most = Math.max(1, ...cells.flatMap((row) => row.map((cell) => cell?.[this.measure] ?? 0)));
    const ink = this.context.palette().channels[this.measure === "sending" || this.measure === "receiving" ? 4 : 0];
    const head = (party: number, scope: "col" | "row") =>
      h(
        "th",
        { scope, title: this.name(party), class: this.isChosen(party) ? "chosen" : "", click: () => this.choose([party]) },
        this.name(party),
      );
    return h(
      "div",
      { class: "list" },
      h(
        "table",
        { class: "matrix" },
        h("thead", {}, h("tr", {}, h("td", {}), ...parties.map((party) => head(party, "col")))),
        h(
          "tbody",
          {},
          ...parties.map((party, row) =>
            h(
              "tr",
              {},
              head(party, "row"),
              ...cells[row].map((cell) => {
                const value = cell?.[this.measure] ?? 0;
                return cell
                  ? h(
                      "td",
                      {
                        class: "number",
                        title: this.title(cell),
                        tabindex: 0,
                        style: value ? `background:${heat(ink, Math.sqrt(value / most))}` : "",
                        click: () => this.choose([cell.from, cell.to]),
                        keydown: (event: KeyboardEvent) => event.key === "Enter" && this.choose([cell.from, cell.to]),
                      },
                      value ? this.words(value) : "0",
                    )
                  : h("td", { class: "number none" }, "·");
              }),
            ),
          ),
        ),
      ),
    );
  }

  private list(table: ChannelTable, pairs: Sent[]): HTMLElement {
    const left = table.all - Math.min(pairs.length, kMostListed);
    const titles = ["messages", "bytes", "sending", "receiving", "from, to"];
    return h(
      "table",
      { class: "pairs" },
      h(
        "caption",
        {},
        left ? `The first of ${count(table.all)} pairs, by ${kMeasures[this.measure]}` : `By ${kMeasures[this.measure]}`,
      ),
      h("thead", {}, h("tr", {}, ...titles.map((title) => h("th", { scope: "col" }, title)))),
      h(
        "tbody",
        {},
        ...pairs.slice(0, kMostListed).map((pair) => {
          const choose = () => this.choose([pair.from, pair.to]);
          return h(
            "tr",
            {
              tabindex: 0,
              title: this.title(pair),
              click: choose,
              keydown: (event: KeyboardEvent) => event.key === "Enter" && choose(),
            },
            h("td", { class: "number" }, count(pair.messages)),
            h("td", { class: "number" }, bytesText(pair.bytes)),
            h("td", { class: "number" }, duration(pair.sending)),
            h("td", { class: "number" }, duration(pair.receiving)),
            h("td", { class: "name" }, `${this.name(pair.from)} → ${this.name(pair.to)}`),
          );
        }),
      ),
    );
  }

  private others(table: ChannelTable): HTMLElement | string {
    const rows = table.others.filter(([, , messages, , ns]) => messages || ns);
    return rows.length
      ? h(
          "table",
          {},
          h("caption", {}, "With no particular peer"),
          h(
            "thead",
            {},
            h("tr", {}, ...["messages", "bytes", "time", "of, with"].map((title) => h("th", { scope: "col" }, title))),
          ),
          h(
            "tbody",
            {},
            ...rows
              .slice(0, kMostListed)
              .map(([what, party, messages, bytes, ns]) =>
                h(
                  "tr",
                  {},
                  h("td", { class: "number" }, count(messages)),
                  h("td", { class: "number" }, bytesText(bytes)),
                  h("td", { class: "number" }, duration(ns)),
                  titled("td", "name", `${this.name(party)}: ${what}`),
                ),
              ),
          ),
        )
      : "";
  }
}
