// Findings in the picture: their numbers beside their rows, and their times.
import { h } from "../draw/dom";
import { Context } from "./context";

export interface FindingMark {
  finding: number;
  row: number;
}

// Findings with nearly all of the time have no times to mark.
const kMostOfRun = 0.6;
const kLeastWidth = 1.5; // px

// `rowOf`: node of the rows' tree → the row to mark; negative: none.
export function findingMarks(context: Context, rowOf: (node: number) => number): FindingMark[] {
  const tree = context.tree();
  if (tree.order !== "path") {
    return [];
  }
  return context.findings.flatMap((of, finding) => {
    const node = of.space ? tree.key.indexOf(of.space) : -1;
    const row = node > 0 ? rowOf(node) : -1;
    return row < 0 ? [] : [{ finding, row }];
  });
}

const kMostBadges = 2; // in a row

// The first of them, and the number of others: a row's name needs the room.
export function markBadges(context: Context, marks: FindingMark[]): HTMLElement[] {
  const more = marks.slice(kMostBadges).map(({ finding }) => finding + 1);
  return [
    ...marks.slice(0, kMostBadges).map((mark) => markBadge(context, mark)),
    ...(more.length ? [h("small", { class: "hint", title: `findings ${more.join(", ")}` }, `+${more.length}`)] : []),
  ];
}

function markBadge(context: Context, { finding }: FindingMark): HTMLElement {
  return h(
    "button",
    {
      class: "badge",
      tabindex: -1,
      title: context.findings[finding].title,
      "aria-label": `finding ${finding + 1}`,
      click: (event: Event) => {
        event.stopPropagation();
        context.goToFinding(finding);
      },
    },
    String(finding + 1),
  );
}

// A line along the foot of the row at the times of the finding.
export function drawMarks(
  context: Context,
  pen: CanvasRenderingContext2D,
  width: number,
  marks: FindingMark[],
  height: number,
) {
  const { from, to, finding: chosen } = context.store.view;
  const [low, high] = context.model.range;
  const scale = width / (to - from);
  pen.fillStyle = context.palette().alarm;
  for (const { finding, row } of marks) {
    const { when } = context.findings[finding];
    const all = when.reduce((sum, [begin, end]) => sum + end - begin, 0);
    if (all > kMostOfRun * (high - low)) {
      continue;
    }
    const thick = finding === chosen ? 4 : 2;
    for (const [begin, end] of when) {
      if (end >= from && begin <= to) {
        const x = (begin - from) * scale;
        pen.fillRect(x, (row + 1) * height - 1 - thick, Math.max((end - begin) * scale, kLeastWidth), thick);
      }
    }
  }
}
