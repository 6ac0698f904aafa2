// The pictures in words, for screen readers.
import { functionRows, leafValues, nodeSums } from "../data/calltree";
import { kChannelTitles } from "../draw/palette";
import { kChannelOf } from "../data/sums";
import { percent, shortName } from "../format";
import { Context } from "./context";

const kMost = 5;

// For the region: where its processor time was spent, and the states of its threads.
export function spoken(context: Context): { code: string; threads: string } {
  const { model } = context;
  const times = context.region();
  const sums = nodeSums(model, leafValues(times, "processor"));
  const all = sums.total[0];
  const most = functionRows(model, sums)
    .filter((row) => row.self > 0)
    .slice(0, kMost)
    .map((row) => `${shortName(model.functions.name[row.fn])} ${percent(row.self / all)}`);
  const channels = new Float64Array(kChannelTitles.length);
  times.byState.forEach((ns, at) => (channels[kChannelOf[at & 7]] += ns));
  const whole = channels.reduce((a, b) => a + b, 0);
  const parts = kChannelTitles.flatMap((title, channel) =>
    channels[channel] > 0.0005 * whole ? [`${title} ${percent(channels[channel] / whole)}`] : [],
  );
  return {
    code: most.length ? `processor time: ${most.join(", ")}` : "no processor time was measured",
    threads: parts.length ? `${context.threads().length} threads: ${parts.join(", ")}` : "nothing was measured",
  };
}
