// The brushed stretch of time on a picture: the rest is fainter.
import { css, Palette } from "../draw/palette";
import { Surface } from "../draw/surface";
import { View } from "../state";

export function drawBrush(surface: Surface, palette: Palette, view: View) {
  if (!view.brush) {
    return;
  }
  const { pen } = surface;
  const x = (time: number) => ((time - view.from) / (view.to - view.from)) * surface.width;
  const [begin, end] = view.brush.map(x);
  pen.fillStyle = css(palette.ground, 0.55);
  pen.fillRect(0, 0, begin, surface.height);
  pen.fillRect(end, 0, surface.width - end, surface.height);
  pen.fillStyle = palette.mark;
  pen.fillRect(Math.round(begin) - 1, 0, 1.5, surface.height);
  pen.fillRect(Math.round(end), 0, 1.5, surface.height);
}
