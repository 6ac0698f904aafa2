// The views that have nothing to show of a recording, with reasons.
import { Tab } from "../state";
import { hasBlob } from "./blob";
import { occurrenceData } from "./kept_occurrences";
import { hasMap } from "./address_map";
import { Model } from "./model";

// The reason, for people; null: there is something, or it is not known yet.
export function whyEmpty(model: Model, tab: Tab): string | null {
  const data = occurrenceData();
  const few = `: the recording has ${model.run.samples.toLocaleString("en-US")} samples`;
  if (model.excerpt && !["paths", "functions", "source"].includes(tab)) {
    return "Not in a first look: it comes with the whole analysis.";
  }
  switch (tab) {
    case "source":
      return hasBlob("code") ? null : "No sources: this page was made with --no-sources.";
    case "waits":
      return model.waits.all ? null : "No waits were recorded: no thread waited in a call that is followed.";
    case "channels":
      return model.channels.tables.length
        ? null
        : "No messages were recorded: nothing was sent through a channel that is followed.";
    case "occurrences":
      return !data || data.spaces.some((space) => space.occurrences > 1)
        ? null
        : `No occurrences: no code was sampled often enough to see it begin and end${few}.`;
    case "patterns":
      return !data || data.patterns.length ? null : "No patterns: no space of this run occurs beside others of its level.";
    case "heavy":
      return !data || data.heavy.groups.length ? null : `No heavy code: no code has enough pairs of samples${few}.`;
    case "gaps":
      return !data || data.heavy.groups.some((group) => group.gap_count)
        ? null
        : `No gaps: no heavy code occurs twice in one thread${few}.`;
    case "address_map":
      return hasMap()
        ? null
        : "No address map: none was recorded (an older Kymo, programs without the monitor, or that ended before their first sample).";
    default:
      return null;
  }
}
