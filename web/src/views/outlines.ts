// Occurrences of the selected space, drawn over its row: outlined if there is room, slow ones marked above.
import { Context } from "./context";

const kLeastWidth = 5; // px that an outline needs

export function outlineOccurrences(
  context: Context,
  pen: CanvasRenderingContext2D,
  width: number,
  rowOf: (node: number) => number,
  height: number,
) {
  const selected = context.selected();
  const occurrences = context.occurrences();
  if (!selected || !occurrences) {
    return;
  }
  const row = rowOf(selected.node);
  if (row < 0) {
    return;
  }
  const { from, to } = context.store.view;
  const palette = context.palette();
  const threads = new Set(context.threads());
  const scale = width / (to - from);
  const top = row * height;
  for (let i = 0; i < occurrences.begin.length; i++) {
    if (occurrences.begin[i] > to || occurrences.end[i] < from || !threads.has(occurrences.thread[i])) {
      continue;
    }
    const x = (occurrences.begin[i] - from) * scale;
    const wide = (occurrences.end[i] - occurrences.begin[i]) * scale;
    if (occurrences.slow[i]) {
      pen.fillStyle = palette.alarm;
      pen.fillRect(x, top, Math.max(wide, 2), 3);
    }
    if (wide >= kLeastWidth) {
      pen.strokeStyle = occurrences.slow[i] ? palette.alarm : palette.mark;
      pen.lineWidth = 1;
      pen.strokeRect(Math.round(x) + 0.5, top + 0.5, Math.round(wide) - 1, height - 2);
    }
  }
}
