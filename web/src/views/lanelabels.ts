// The names of rows of threads.
import { LaneRow, processName, processTitle, shortWords } from "../data/lanerows";
import { Model } from "../data/model";
import { h } from "../draw/dom";

// The name is cut if there is not enough room, the number is not.
function named(name: string, number: number): HTMLElement {
  return h("span", { class: "name numbered" }, h("span", {}, name), h("small", {}, String(number)));
}

export function laneLabel(model: Model, { kind, process, threads }: LaneRow): HTMLElement {
  switch (kind) {
    case "process":
      return named(processName(model, process), model.processes[process].pid);
    case "short":
      return h("span", { class: "name" }, shortWords(model, threads, "short"));
    case "thread":
      return named(model.threadName(threads[0]), model.threads[threads[0]].tid);
  }
}

// In full: for a thread its first line, then its creator.
export function laneTitle(model: Model, { kind, process, threads }: LaneRow): string[] {
  switch (kind) {
    case "process":
      return [`${processTitle(model, process)}: ${threads.length} threads`];
    case "short":
      return [shortWords(model, threads, "short processes")];
    case "thread": {
      const { created, created_with } = model.threads[threads[0]];
      const by = created.length ? [`created by ${created.join(" › ")}`] : [];
      return [model.threadTitle(threads[0]), ...by, ...created_with];
    }
  }
}
