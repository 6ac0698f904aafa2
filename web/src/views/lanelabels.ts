// The names of rows of threads.
import { LaneRow, processName, processTitle, ranksWords, shortWords } from "../data/lanerows";
import { Model } from "../data/model";
import { h } from "../draw/dom";

// The name is cut if there is not enough room, the number is not.
function named(name: string, number: number | string): HTMLElement {
  return h("span", { class: "name numbered" }, h("span", {}, name), h("small", {}, String(number)));
}

export function laneLabel(model: Model, { kind, process, threads, isAlone }: LaneRow): HTMLElement {
  switch (kind) {
    case "process":
      return named(processName(model, process), model.processes[process].pid);
    case "ranks":
      return named(...ranksWords(model, threads));
    case "short":
      return h("span", { class: "name" }, shortWords(model, threads, "short"));
    case "thread":
      return isAlone && model.processes[process].rank !== null
        ? named(processName(model, process), model.processes[process].pid)
        : named(model.threadName(threads[0]), model.threads[threads[0]].tid);
  }
}

// In full: for a thread its first line, then its creator.
export function laneTitle(model: Model, { kind, process, threads }: LaneRow): string[] {
  switch (kind) {
    case "process":
      return [`${processTitle(model, process)}: ${threads.length} threads`];
    case "ranks":
      return [
        `${ranksWords(model, threads)
          .join(" ")
          .replace(/^(?!ranks)(\S+)/, "$1: ranks")}, ${threads.length} threads`,
      ];
    case "short":
      return [shortWords(model, threads, "short processes")];
    case "thread": {
      const { created, created_with } = model.threads[threads[0]];
      const by = created.length ? [`created by ${created.join(" › ")}`] : [];
      return [model.threadTitle(threads[0]), ...by, ...created_with];
    }
  }
}
