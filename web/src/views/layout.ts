// Sizes that views share, so that their time axes lie above each other.
import { rem } from "../draw/surface";

// Width of the names beside everything with a time axis.
export function gutter(): number {
  const width = document.querySelector(".stage")?.clientWidth ?? 1000;
  return Math.round(Math.min(Math.max(width * 0.2, rem() * 16.5), rem() * 24, width * 0.35));
}

// Keeps the style's --gutter at that width when the stage's width changes.
export function watchGutter(stage: HTMLElement) {
  new ResizeObserver(() => stage.style.setProperty("--gutter", `${gutter()}px`)).observe(stage);
}

export function rowHeight(): number {
  return Math.round(rem() * 1.5);
}
