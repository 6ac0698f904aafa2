// The time axis: round ticks, and the screen position of a time.
import { ticks } from "d3-array";
import { moment } from "../format";
import { font, Surface } from "./surface";
import { Palette } from "./palette";

export function ticksOf(from: number, to: number, width: number): number[] {
  return ticks(from / 1e9, to / 1e9, Math.max(2, Math.round(width / 130))).map((seconds) => seconds * 1e9);
}

export function drawGrid(
  surface: Surface,
  palette: Palette,
  from: number,
  to: number,
  left: number,
  top: number,
  bottom: number,
) {
  const { pen } = surface;
  const width = surface.width - left;
  pen.fillStyle = palette.grid;
  for (const tick of ticksOf(from, to, width)) {
    pen.fillRect(Math.round(left + ((tick - from) / (to - from)) * width), top, 1, bottom - top);
  }
}

export function drawAxis(
  surface: Surface,
  palette: Palette,
  from: number,
  to: number,
  left: number,
  top: number,
  height: number,
) {
  const { pen } = surface;
  const width = surface.width - left;
  const at = ticksOf(from, to, width);
  const step = at.length > 1 ? at[1] - at[0] : to - from;
  pen.font = font(0.82);
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  for (const tick of at) {
    const x = Math.round(left + ((tick - from) / (to - from)) * width);
    pen.fillStyle = palette.grid;
    pen.fillRect(x, top, 1, height);
    pen.fillStyle = palette.faint;
    if (x + 40 < surface.width) {
      pen.fillText(moment(tick, step), x + 4, top + height / 2);
    }
  }
}
