// The run in a line: its verdict, and whether its recording can be relied on. Reasons to doubt all figures are red.
import { Model } from "../data/model";
import { h } from "../draw/dom";
import { count, losses, percent } from "../format";
import { plainTexts } from "./findings";
import { firstLook } from "./first_look";

const kWorthAnAlarm = 0.01; // of the samples; as in the report

function isBad({ run }: Model): boolean {
  return run.complete_paths < 1 - kWorthAnAlarm || run.lost > kWorthAnAlarm * (run.samples + run.lost);
}

function quality({ run, excerpt }: Model): string {
  if (!run.samples) {
    return "no samples";
  }
  return [
    excerpt
      ? `${count(excerpt.read)} of ${count(excerpt.of)} samples read`
      : `${count(run.samples)} sample${run.samples === 1 ? "" : "s"}`,
    `${percent(run.complete_paths)} of call paths complete`,
    losses(run),
  ].join(" · ");
}

// Empty for a recording of hosts, unless something is wrong with it.
export function banner(model: Model, onExchange: () => void): HTMLElement | null {
  const isOfHosts = model.hosts.length > 0;
  if (isOfHosts && !model.alarms.length) {
    return null;
  }
  const plain = plainTexts(model);
  return h(
    "section",
    { class: `banner${model.alarms.length ? " doubtful" : ""}`, "aria-label": "verdict and quality of the recording" },
    ...model.alarms.map((text) => h("p", { class: "alarm", role: "alert" }, plain(text))),
    isOfHosts
      ? null
      : h(
          "p",
          { class: "verdict" },
          model.excerpt ? firstLook(model, onExchange) : h("b", {}, plain(model.verdict)),
          h("span", { class: `quality${isBad(model) ? " bad" : ""}`, title: "quality of the recording" }, quality(model)),
        ),
  );
}
