// Sizes that views share, so that their time axes lie above each other.
import { rem } from "../draw/surface";

// Width of the names beside everything with a time axis.
export function gutter(): number {
  const width = document.querySelector(".stage")?.clientWidth ?? 1000;
  return Math.round(Math.min(Math.max(width * 0.2, rem() * 16.5), rem() * 24, width * 0.35));
}

// The style's --gutter is that width, whatever the width of the stage becomes.
export function watchGutter(stage: HTMLElement) {
  new ResizeObserver(() => stage.style.setProperty("--gutter", `${gutter()}px`)).observe(stage);
}

export function rowHeight(): number {
  return Math.round(rem() * 1.5);
}
