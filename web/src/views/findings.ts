// Findings and directions, as cards; a click moves every view to the place and the time. The text is readable for
// screen readers too.
import { AccountRow, EvidenceRow, Finding } from "../data/finding";
import { h, replace } from "../draw/dom";
import { Model, placeWords } from "../data/model";
import { compact, count, duration, losses, moment, percent, withoutArguments } from "../format";
import { View } from "../state";
import { anyOf, Changed, Context, ViewPart } from "./context";
import { huntCards } from "./hunt_results";
import { placeLink } from "./placelink";

const kMostEvidence = 8; // lines of an open card

// Texts without parts that only a compiler needs; functions' names without their arguments.
export function plainTexts(model: Model): (text: string) => string {
  const long = model.functions.name
    .filter((name) => withoutArguments(name) !== name && /[(<]/.test(name))
    .sort((a, b) => b.length - a.length);
  return (text) => {
    for (const name of long) {
      if (text.includes(name)) {
        text = text.split(name).join(withoutArguments(name));
      }
    }
    return text.replace(/`/g, "").replace(/\(anonymous namespace\)::/g, "");
  };
}

function stakeWords(finding: Finding): string {
  if (finding.share === null || finding.seconds === null) {
    return "cost not known";
  }
  return finding.share > 0 ? percent(finding.share) : duration(finding.seconds * 1e9);
}

export class Findings implements ViewPart {
  readonly element = h("aside", { class: "findings", "aria-label": "findings" });
  readonly findings: Finding[];
  private advantages: Finding[];
  private plain: (text: string) => string;

  constructor(private context: Context) {
    const { json } = context.model;
    this.findings = context.findings;
    this.plain = plainTexts(context.model);
    this.advantages = json.findings?.good ?? [];
  }

  update(_: View, changed: Changed) {
    if (anyOf(changed, "finding", "theme") || !this.element.childElementCount) {
      this.fill();
    }
  }

  // Leads all views there.
  go(index: number) {
    const all = [...this.findings, ...this.advantages];
    const finding = all[index];
    const { store } = this.context;
    if (!finding || store.view.finding === index) {
      store.set({ finding: -1, brush: null, threads: null, space: "" });
      store.all();
      return;
    }
    store.set({
      finding: index,
      order: "path",
      space: finding.space,
      threads: finding.threads.length && finding.threads.length < this.context.model.threads.length ? finding.threads : null,
      brush: null,
    });
    if (finding.when.length) {
      const begin = Math.min(...finding.when.map((range) => range[0]));
      const end = Math.max(...finding.when.map((range) => range[1]));
      const [low, high] = this.context.model.range;
      if (end - begin < 0.8 * (high - low)) {
        const margin = (end - begin) * 0.35;
        store.look(begin - margin, end + margin);
        if (finding.when.length === 1) {
          store.set({ brush: [begin, end] });
        }
      } else {
        store.all();
      }
    } else {
      store.all();
    }
  }

  private value(row: EvidenceRow, value: number | null): string {
    if (value === null) {
      return "–";
    }
    return row.unit === "ns" ? duration(value) : row.unit === "share" ? percent(value) : compact(value);
  }

  // Slow against fast as two bars.
  private chart(row: EvidenceRow): HTMLElement {
    const most = Math.max(Math.abs(row.bad ?? 0), Math.abs(row.good ?? 0)) || 1;
    const bar = (kind: string, value: number | null) =>
      h(
        "span",
        { class: `pair ${kind}` },
        h("i", { style: `width:${((Math.abs(value ?? 0) / most) * 100).toFixed(1)}%` }),
        h("b", {}, this.value(row, value)),
      );
    const effect = row.effect === null ? "" : `; effect size (Cliff's delta) ${row.effect.toFixed(2)}`;
    return h(
      "span",
      { class: "evidence", title: `${row.event}${effect}` },
      h("span", { class: "what" }, row.event),
      h("span", { class: "bars" }, bar("bad", row.bad), row.good === null ? null : bar("good", row.good)),
    );
  }

  // Those that it counted, one by one; a click leads to one.
  private occurrences(finding: Finding): HTMLElement | null {
    const { kind, of, count: all, list } = finding.occurrences;
    if (!list.length) {
      return null;
    }
    const { model, store } = this.context;
    const what = kind === "gaps" ? "gap" : "occurrence";
    const words = `${count(all)} ${what}${all === 1 ? "" : "s"} of ${this.plain(of)}${kind === "occurrences_around" ? ", in or behind which it happened" : ""}${list.length < all ? `, the longest ${list.length}` : ""}`;
    return h(
      "div",
      { class: "counted" },
      h("p", { class: "hint" }, words),
      h(
        "div",
        { class: "moments" },
        ...list.map(([begin, length, thread, number]) =>
          h(
            "button",
            {
              class: "moment",
              title: `number ${count(number)} of ${model.threadTitle(thread)}: go there`,
              click: () => {
                store.look(begin - length, begin + 2 * length);
                store.set({ brush: [begin, begin + length], threads: [thread] });
              },
            },
            h("span", {}, moment(begin, 1e6)),
            h("span", {}, duration(length)),
            h("span", { class: "what" }, model.threadName(thread)),
          ),
        ),
      ),
    );
  }

  // Closed: the headline and one line of evidence; open: all that is known of it.
  private card(finding: Finding, index: number, isGood: boolean): HTMLElement {
    const isOpen = this.context.store.view.finding === index;
    const title = this.plain(finding.title);
    const where = this.plain(finding.where);
    const place = placeWords(finding.file, finding.line);
    return h(
      "article",
      { class: `card${isGood ? " good" : ""}${isOpen ? " chosen" : ""}` },
      h(
        "button",
        {
          class: "head",
          "aria-expanded": isOpen,
          title: isOpen ? "" : `${title}\n${where}  ${place}`,
          click: () => this.go(index),
        },
        h("span", { class: "stake" }, isGood ? null : h("i", { class: "badge" }, String(index + 1)), stakeWords(finding)),
        h("span", { class: "kind" }, finding.kind.replace(/-/g, " ")),
        h("span", { class: "title" }, title),
        ...finding.evidence.slice(0, isOpen ? kMostEvidence : 1).map((row) => this.chart(row)),
      ),
      // Behind the button, which can hold no link.
      where || place
        ? h(
            "p",
            { class: "where" },
            where ? `${where}  ` : null,
            placeLink(this.context.model, finding.file, finding.line, place),
          )
        : null,
      isOpen ? h("div", { class: "more" }, ...this.details(finding)) : null,
    );
  }

  private details(finding: Finding): (HTMLElement | null)[] {
    const cost =
      finding.seconds === null ? "What it costs is not known" : `${duration(finding.seconds * 1e9)} of thread time at stake`;
    const sure = finding.tested
      ? `tested, confidence ${percent(finding.confidence)}`
      : "accounted for exactly, too rare to test";
    return [
      finding.direction ? h("p", { class: "direction" }, this.plain(finding.direction)) : null,
      finding.confirm ? h("p", { class: "confirm" }, h("b", {}, "To confirm: "), this.plain(finding.confirm)) : null,
      finding.gain
        ? h("p", {}, `Without it the run is expected to be ${percent(finding.gain[0])} to ${percent(finding.gain[1])} shorter.`)
        : null,
      h("p", { class: "hint" }, `${cost}; ${sure}`),
      this.occurrences(finding),
      ...finding.also.map((text) => h("p", { class: "hint" }, `Also possible: ${this.plain(text)}`)),
    ];
  }

  // Where the time of all threads went, and what the run would be shorter by without it.
  private account(): HTMLElement[] {
    const { account, run } = this.context.model;
    if (!account.rows.length) {
      return [];
    }
    const row = (one: AccountRow) =>
      h(
        "tr",
        {},
        h("td", { class: "number" }, percent(one.shorter_ns / run.duration)),
        h("td", { class: "number" }, percent(one.ns / account.ns)),
        h(
          "td",
          {},
          this.plain(one.what),
          one.where ? h("span", { class: "what" }, ` in ${this.plain(one.where)}`) : null,
          one.held_by ? h("span", { class: "hint" }, ` for ${this.plain(one.held_by)}`) : null,
        ),
      );
    return [
      h("h2", {}, "Where the time went"),
      h(
        "table",
        { class: "account" },
        h(
          "tr",
          {},
          h("th", { title: "by what the run would be shorter without it" }, "shorter"),
          h("th", { title: "of the time of all threads" }, "of all"),
          h("th", {}, "thread time"),
        ),
        ...account.rows.map(row),
      ),
    ];
  }

  private fill() {
    const { model } = this.context;
    const control = model.json.findings?.control as { rounds: number; findings: number } | undefined;
    const parts: (HTMLElement | null)[] = huntCards(this.context);
    if (this.findings.length) {
      parts.push(h("h2", {}, this.findings.length === 1 ? "One finding" : `${this.findings.length} findings`));
      this.findings.forEach((finding, index) => parts.push(this.card(finding, index, false)));
    } else if (model.excerpt) {
      parts.push(
        h("h2", {}, "First look"),
        h(
          "article",
          { class: "card plain first" },
          h(
            "p",
            {},
            "Findings, occurrences, waits and metrics come with the whole analysis. This page is then exchanged by itself.",
          ),
        ),
      );
    } else {
      parts.push(
        h("h2", {}, "What stands out"),
        ...model.sentences.map((text, index) =>
          h("article", { class: `card plain${index ? "" : " first"}` }, h("p", {}, text)),
        ),
      );
    }
    if (this.findings.length && model.sentences.length) {
      parts.push(
        h("h2", {}, "The run at a glance"),
        h("ul", { class: "sentences" }, ...model.sentences.map((text) => h("li", {}, text))),
      );
    }
    if (this.advantages.length) {
      parts.push(
        h("h2", {}, "What goes well"),
        ...this.advantages.map((finding, index) => this.card(finding, this.findings.length + index, true)),
      );
    }
    if (control && control.rounds) {
      parts.push(
        h(
          "p",
          { class: "hint" },
          `Control: on shuffled labels the same search gives ${control.findings.toFixed(1)} findings a round (${control.rounds} rounds).`,
        ),
      );
    }
    parts.push(...this.account());
    const { run } = model;
    parts.push(
      h("h2", {}, "Measured"),
      h(
        "p",
        { class: "hint" },
        `${count(run.samples)} samples${model.excerpt ? ` read of ${count(model.excerpt.of)}` : ""}${run.asked_hz ? `, ${count(run.asked_hz)} a second asked, ${count(run.delivered_hz)} delivered` : ""}; ` +
          `${percent(run.complete_paths)} of call paths complete; ${losses(run, "samples ")}.`,
      ),
      ...model.unavailable.map(([what, why, remedy]) => h("p", { class: "hint" }, `Not measured: ${what} (${why}). ${remedy}`)),
      ...model.notes.slice(0, 12).map((note) => h("p", { class: "hint" }, note)),
    );
    replace(this.element, ...parts);
    this.element.querySelector(".card.chosen")?.scrollIntoView({ block: "nearest" });
  }
}
