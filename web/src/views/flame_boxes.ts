// Positions of frames: boxes in rows, of the part that is in view.
import { Frame } from "../data/frames";

export interface Box {
  frame: Frame;
  skipped: number; // calls in a row that do nothing but call the next: one is shown for this many
  row: number;
  x: number;
  width: number;
}

const kLeastWidth = 0.6; // px
const kChain = 4; // calls in a row that are shown as one

// The frames below one as long as nearly all of it is in one callee, the last included.
function chain(frame: Frame): Frame[] {
  const found: Frame[] = [];
  for (let at = frame; ; ) {
    const next = at.children[0];
    if (!next || at.children.length > 1 || next.value < 0.99 * at.value || next.span < 0.99 * at.span) {
      return found;
    }
    found.push(next);
    at = next;
  }
}

// `begin`, `span`: the part of the frames' axis in view; `step`: 1 downwards from `row`, −1 upwards. For a zoomed frame
// its callers are boxes as wide as the view.
export function layOut(root: Frame, view: { begin: number; span: number; width: number }, row: number, step: number): Box[] {
  const boxes: Box[] = [];
  if (!(view.span > 0)) {
    return boxes;
  }
  const scale = view.width / view.span;
  const add = (frame: Frame, at: number, skipped: number): boolean => {
    const x = Math.max(0, (frame.begin - view.begin) * scale);
    const width = Math.min(view.width, (frame.begin + frame.span - view.begin) * scale) - x;
    if (width < kLeastWidth) {
      return false;
    }
    boxes.push({ frame, skipped, row: at, x, width });
    return true;
  };
  const stack: [Frame, number][] = [[root, row]];
  while (stack.length) {
    const [frame, at] = stack.pop()!;
    if (!add(frame, at, 0)) {
      continue;
    }
    const single = chain(frame);
    if (single.length >= kChain) {
      add(single[0], at + step, single.length - 1);
      stack.push([single[single.length - 1], at + 2 * step]);
      continue;
    }
    for (const child of frame.children) {
      stack.push([child, at + step]);
    }
  }
  return boxes;
}

// The target of a key from a box: the widest that touches it in the next row, or its neighbour in its own.
export function nextBox(boxes: Box[], from: Box, key: string): Box | undefined {
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const row = boxes.filter((box) => box.row === from.row).sort((a, b) => a.x - b.x);
    return row[row.indexOf(from) + (key === "ArrowRight" ? 1 : -1)];
  }
  const row = from.row + (key === "ArrowDown" ? 1 : -1);
  const touching = boxes.filter((box) => box.row === row && box.x < from.x + from.width && from.x < box.x + box.width);
  return touching.sort((a, b) => b.width - a.width)[0];
}
