// The code of threads: their rows in the colours of functions.
import { LaneRow } from "../data/lanerows";
import { firstAfter } from "../data/level";
import { Colour, css, nameColour } from "../draw/palette";
import { rem, Surface } from "../draw/surface";
import { shortName } from "../format";
import { Context } from "./context";

const kInCode = [true, true, true, false, false, false, true]; // by state: ready threads are in code, too

export class LaneCode {
  private codeOf: { depth: number; node: Uint32Array } | null = null;

  constructor(private context: Context) {}

  // Leaf → the call node at the chosen depth on its path.
  private nodesAtDepth(depth: number): Uint32Array {
    const { model } = this.context;
    if (this.codeOf?.depth !== depth) {
      const node = Uint32Array.from(model.leafNode);
      for (let leaf = 0; leaf < node.length; leaf++) {
        while (model.nodeDepth[node[leaf]] > depth) {
          node[leaf] = model.nodeParent[node[leaf]];
        }
      }
      this.codeOf = { depth, node };
    }
    return this.codeOf.node;
  }

  // Draws each thread in the colour of the function that it was in for most of a column.
  draw(surface: Surface, rows: LaneRow[], top: number, height: number, columns: number) {
    const { model, store } = this.context;
    const { view } = store;
    const perColumn = (view.to - view.from) / columns;
    const palette = this.context.palette();
    const { pen } = surface;
    const nodeOf = this.nodesAtDepth(view.depth);
    const level = this.context.level(perColumn);
    const colours = new Map<number, Colour>();
    const most = new Float64Array(columns);
    const node = new Int32Array(columns);
    for (const [at, row] of rows.entries()) {
      if (row.kind !== "thread") {
        continue; // its threads are in several places
      }
      const y = top + at * height;
      const thread = row.threads[0];
      most.fill(0);
      node.fill(-1);
      for (let i = firstAfter(level, thread, view.from); i < level.first[thread + 1] && level.begin[i] < view.to; i++) {
        const length = level.length ? level.length[i] : level.width;
        const begin = Math.max(0, Math.floor((level.begin[i] - view.from) / perColumn));
        const end = Math.min(columns - 1, Math.floor((level.begin[i] + length - view.from - 1) / perColumn));
        for (let column = begin; column <= end; column++) {
          if (level.ns[i] > most[column]) {
            most[column] = level.ns[i];
            node[column] = kInCode[level.state[i]] ? nodeOf[level.leaf[i]] : -2;
          }
        }
      }
      for (let column = 0; column < columns; ) {
        let end = column + 1;
        while (end < columns && node[end] === node[column]) {
          end++;
        }
        if (node[column] !== -1) {
          let colour = node[column] === -2 ? palette.channels[4] : colours.get(node[column]);
          if (!colour) {
            colour = nameColour(model.functions.name[model.nodeFunction[node[column]]], palette.dark);
            colours.set(node[column], colour);
          }
          pen.fillStyle = css(colour, node[column] === -2 ? 0.3 : 1);
          pen.fillRect(column, y, end - column, height);
          if (node[column] >= 0 && end - column > 50 && height >= rem()) {
            pen.fillStyle = palette.dark ? "#000" : "#111";
            pen.font = `${rem() * 0.8}px system-ui, sans-serif`;
            pen.textBaseline = "middle";
            const name = shortName(model.functions.name[model.nodeFunction[node[column]]]);
            if (pen.measureText(name).width < end - column - 6) {
              pen.fillText(name, column + 4, y + height / 2);
            }
          }
        }
        column = end;
      }
    }
  }
}
