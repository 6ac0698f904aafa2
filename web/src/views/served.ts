// The requests of a page of `kymo view --serve`: a part of the run in more detail, the whole run again, and the
// recording in its present state.
import { Model } from "../data/model";
import { h } from "../draw/dom";
import { duration } from "../format";
import { Store } from "../state";

// The page of `range` (ns since the run's begin; null: of the whole run), with the current choices except the times.
function address(look: number, range: [number, number] | null): string {
  const seconds = (ns: number) => (ns / 1e9).toFixed(9);
  const query = [`look=${look}`, ...(range ? [`range=${seconds(range[0])}..${seconds(range[1])}`] : [])].join("&");
  const chosen = location.hash
    .slice(1)
    .split("&")
    .filter((part) => part && !/^(t|brush)=/.test(part));
  return `?${query}#${chosen.join("&")}`;
}

// Empty in a page that is a file.
export function servedBar(model: Model, store: Store): HTMLElement {
  const { served, range, run } = model;
  const bar = h("span", { class: "served" });
  if (!served) {
    return bar;
  }
  const go = (words: string, title: string, look: number, part: () => [number, number] | null) =>
    h("button", { title, "aria-label": title, click: () => location.assign(address(look, part())) }, words);
  const inView = (): [number, number] => store.view.brush ?? [store.view.from, store.view.to];
  const closer = go("More detail", "", served.look, inView);
  const update = () => {
    const [from, to] = inView();
    const isPart = to - from < range[1] - range[0];
    (closer as HTMLButtonElement).disabled = !isPart;
    closer.title = isPart
      ? `a page of these ${duration(to - from)} alone, in more detail`
      : "zoom in or brush a stretch of time first: a page of it alone shows more detail";
    closer.setAttribute("aria-label", closer.title);
  };
  store.listen(update);
  update();
  bar.append(closer);
  if (range[1] - range[0] < run.duration) {
    bar.append(go("Whole run", `back to all ${duration(run.duration)}`, served.look, () => null));
  }
  if (served.is_growing) {
    const title = "the recording was not finished when it was read: read it as it is now";
    bar.append(go("Read again", title, served.look + 1, () => null));
  }
  return bar;
}
