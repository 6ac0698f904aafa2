// Arrows between threads: from the holder to the thread that waited for it, where the wait ended; and the flows of an
// imported trace.
import { Context } from "./context";
import { css } from "../draw/palette";
import { Surface } from "../draw/surface";

const kMostArrows = 400;
const kLeastArrow = 6; // px: the least length of a wait with an arrow

// `middleOf`: the middle of a thread's row; NaN: it has none.
export function drawArrows(context: Context, surface: Surface, middleOf: (thread: number) => number) {
  const { waits } = context.model;
  const { from, to } = context.store.view;
  const scale = surface.width / (to - from);
  const shown: number[] = [];
  for (let i = 0; i < waits.begin.length; i++) {
    const end = waits.begin[i] + waits.length[i];
    if (waits.holder[i] && waits.length[i] * scale >= kLeastArrow && end >= from && end <= to) {
      shown.push(i);
    }
  }
  if (shown.length > kMostArrows) {
    shown.sort((a, b) => waits.length[b] - waits.length[a]);
    shown.length = kMostArrows;
  }
  const { pen } = surface;
  const palette = context.palette();
  pen.lineWidth = 1;
  pen.strokeStyle = pen.fillStyle = css(palette.dark ? [235, 240, 255] : [20, 30, 60], shown.length > 80 ? 0.35 : 0.75);
  pen.beginPath();
  const heads = new Path2D();
  for (const i of shown) {
    const x = (waits.begin[i] + waits.length[i] - from) * scale;
    const start = middleOf(waits.holder[i] - 1);
    const end = middleOf(waits.thread[i]);
    if (start === end || isNaN(start + end)) {
      continue;
    }
    const direction = Math.sign(end - start);
    heads.moveTo(x + 2, start);
    heads.arc(x, start, 2, 0, 7);
    pen.moveTo(x, start);
    pen.lineTo(x, end - direction * 4);
    heads.moveTo(x, end);
    heads.lineTo(x - 3, end - direction * 6);
    heads.lineTo(x + 3, end - direction * 6);
  }
  pen.stroke();
  pen.fill(heads);
}

// As drawArrows(). From where a flow leaves its thread to where it arrives in the other one.
export function drawFlows(context: Context, surface: Surface, middleOf: (thread: number) => number) {
  const flows = context.model.flows;
  if (!flows) {
    return;
  }
  const { from, to } = context.store.view;
  const scale = surface.width / (to - from);
  const shown: number[] = [];
  for (let i = 0; i < flows.end.length; i++) {
    if (flows.end[i] >= from && flows.end[i] - flows.length[i] <= to && flows.from[i] !== flows.to[i]) {
      shown.push(i);
    }
  }
  if (shown.length > kMostArrows) {
    shown.sort((a, b) => flows.length[b] - flows.length[a]);
    shown.length = kMostArrows;
  }
  const { pen } = surface;
  pen.lineWidth = 1;
  pen.strokeStyle = pen.fillStyle = css(
    context.palette().dark ? [150, 200, 255] : [20, 70, 150],
    shown.length > 80 ? 0.35 : 0.75,
  );
  pen.beginPath();
  const heads = new Path2D();
  for (const i of shown) {
    const start = middleOf(flows.from[i]);
    const end = middleOf(flows.to[i]);
    if (isNaN(start + end)) {
      continue;
    }
    const left = (flows.end[i] - flows.length[i] - from) * scale;
    const x = (flows.end[i] - from) * scale;
    const length = Math.hypot(x - left, end - start) || 1;
    const [across, down] = [(x - left) / length, (end - start) / length];
    heads.moveTo(left + 2, start);
    heads.arc(left, start, 2, 0, 7);
    pen.moveTo(left, start);
    pen.lineTo(x - across * 4, end - down * 4);
    heads.moveTo(x, end);
    heads.lineTo(x - across * 6 - down * 3, end - down * 6 + across * 3);
    heads.lineTo(x - across * 6 + down * 3, end - down * 6 - across * 3);
  }
  pen.stroke();
  pen.fill(heads);
}
