// The differences of slow occurrences from the others: the terms of time that make up their excess, exactly, and counts,
// threads, processors and neighbours with effect sizes.
import { median } from "d3-array";
import { cliffsDelta, kTerms, neighbour, occurrenceData, KeptOccurrences } from "../data/kept_occurrences";
import { h, titled } from "../draw/dom";
import { compact, count, duration, percent } from "../format";
import { Context } from "./context";

interface Feature {
  what: string;
  slow: string;
  fast: string;
  effect: number;
  share: number; // of the excess, for terms of time; NaN: none
}

// As elements for the table beside the picture.
export function compare(context: Context, occurrences: KeptOccurrences): HTMLElement[] {
  const data = occurrenceData()!;
  const [from] = occurrences.rows;
  const slow: number[] = [];
  const fast: number[] = [];
  occurrences.slow.forEach((isSlow, i) => (isSlow ? slow : fast).push(from + i));
  if (!slow.length || !fast.length) {
    return [
      h("p", { class: "hint" }, "No occurrence stands out as slow. Drag the line in the picture to split them yourself."),
    ];
  }
  const take = (column: ArrayLike<number>, rows: number[]) => rows.map((row) => column[row]);
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const features: Feature[] = [];
  const slowLength = mean(take(data.length, slow));
  const fastLength = median(take(data.length, fast))!;
  const excess = slowLength - fastLength;
  kTerms.forEach((what, term) => {
    const a = take(data.terms[term], slow);
    const b = take(data.terms[term], fast);
    if (a.some(Boolean) || b.some(Boolean)) {
      features.push({
        what,
        slow: duration(mean(a)),
        fast: duration(median(b)!),
        effect: cliffsDelta(a, b),
        share: (mean(a) - median(b)!) / excess,
      });
    }
  });
  features.sort((a, b) => b.share - a.share);
  const counts: Feature[] = [];
  data.eventNames.forEach((what, event) => {
    const a = take(data.events[event], slow);
    const b = take(data.events[event], fast);
    if (a.some(Boolean) || b.some(Boolean)) {
      counts.push({ what, slow: compact(mean(a)), fast: compact(mean(b)), effect: cliffsDelta(a, b), share: NaN });
    }
  });
  const migrations = [take(data.migrations, slow), take(data.migrations, fast)];
  if (migrations.some((one) => one.some(Boolean))) {
    counts.push({
      what: "changes of processor",
      slow: compact(mean(migrations[0])),
      fast: compact(mean(migrations[1])),
      effect: cliffsDelta(migrations[0], migrations[1]),
      share: NaN,
    });
  }
  const isFirst = [take(data.order, slow), take(data.order, fast)].map((list) => list.map((order) => (order === 0 ? 1 : 0)));
  counts.push(shares("first of its thread", isFirst[0], isFirst[1]));
  const likeliest = (name: string, column: Uint32Array, words: (value: number) => string) => {
    const values = [...new Set(take(column, slow))];
    const best = values
      .map((value) => ({
        value,
        feature: shares(
          "",
          take(column, slow).map((v) => (v === value ? 1 : 0)),
          take(column, fast).map((v) => (v === value ? 1 : 0)),
        ),
      }))
      .sort((a, b) => b.feature.effect - a.feature.effect)[0];
    if (best && best.feature.effect > 0.05) {
      counts.push({ ...best.feature, what: `${name} ${words(best.value)}` });
    }
  };
  likeliest("on", data.thread, (thread) => context.model.threadName(thread));
  likeliest("on processor", data.processor, String);
  likeliest("after", data.before, neighbour);
  likeliest("before", data.after, neighbour);
  counts.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
  return [
    h(
      "p",
      { class: "hint" },
      `${count(slow.length)} slow (${duration(slowLength)} on average) against ${count(fast.length)} others (median ${duration(fastLength)}). The slow ones' excess adds up to ${duration(excess * slow.length)}.`,
    ),
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h("tr", {}, ...["what", "slow", "others", "share of the excess"].map((name) => h("th", { scope: "col" }, name))),
      ),
      h(
        "tbody",
        {},
        ...features.map((row) =>
          h(
            "tr",
            {},
            titled("td", "name", row.what),
            h("td", { class: "number" }, row.slow),
            h("td", { class: "number" }, row.fast),
            h(
              "td",
              { class: "bars" },
              h("span", { class: "bar", style: `--share:${Math.max(0, Math.min(1, row.share)).toFixed(3)}` }),
              ` ${percent(row.share)}`,
            ),
          ),
        ),
      ),
    ),
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...["", "slow", "others", "effect"].map((name) =>
            h(
              "th",
              {
                scope: "col",
                title: name === "effect" ? "Cliff's delta: how often a slow one has more, less the opposite" : "",
              },
              name,
            ),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        ...counts.map((row) =>
          h(
            "tr",
            {},
            titled("td", "name", row.what),
            h("td", { class: "number" }, row.slow),
            h("td", { class: "number" }, row.fast),
            h("td", { class: "number" }, isFinite(row.effect) ? row.effect.toFixed(2) : "–"),
          ),
        ),
      ),
    ),
  ];
}

function shares(what: string, a: number[], b: number[]): Feature {
  const mean = (values: number[]) => values.reduce((x, y) => x + y, 0) / values.length;
  return { what, slow: percent(mean(a)), fast: percent(mean(b)), effect: mean(a) - mean(b), share: NaN };
}
