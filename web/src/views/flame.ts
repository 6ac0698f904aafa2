// Call paths of the brushed region, callers above: width is time. A click chooses the space everywhere; a double click
// spreads it over the whole width.
import { leafValues, NodeSums, nodeSums, metricValue, metricWords } from "../data/calltree";
import { findFunctions } from "../data/find";
import { css, frameColour } from "../draw/palette";
import { h, tip } from "../draw/dom";
import { fitted, font, rem, Surface } from "../draw/surface";
import { percent, shortName } from "../format";
import { View } from "../state";
import { Changed, Context, ViewPart } from "./context";

const kLeastWidth = 0.6; // px
const kChain = 4; // calls in a row that are shown as one

interface Box {
  node: number;
  skipped: number; // calls in a row that do nothing but call the next: this many stand for one
  x: number;
  width: number;
  depth: number;
}

export class Flame implements ViewPart {
  readonly element: HTMLElement;
  private surface: Surface;
  private holder = h("div", { class: "flame" });
  private boxes: Box[] = [];
  private sums: NodeSums | null = null;
  private focus = 0;
  private children: Uint32Array[] = [];

  constructor(private context: Context) {
    this.element = h("div", { class: "panel" }, this.holder);
    this.surface = new Surface(this.holder, "flame graph of the region", () => this.draw(), this.element);
    const { model } = context;
    const lists: number[][] = Array.from({ length: model.nodeParent.length }, () => []);
    for (let node = 1; node < model.nodeParent.length; node++) {
      lists[model.nodeParent[node]].push(node);
    }
    this.children = lists.map((list) =>
      Uint32Array.from(
        list.sort((a, b) =>
          model.functions.name[model.nodeFunction[a]] < model.functions.name[model.nodeFunction[b]] ? -1 : 1,
        ),
      ),
    );
    this.holder.addEventListener("mousemove", (event) => this.hover(event));
    this.holder.addEventListener("mouseleave", () => tip.hide());
    this.holder.addEventListener("click", (event) => {
      const box = this.boxAt(event);
      if (box) {
        context.store.set({ order: "path", space: box.node ? `c${box.node}` : "" });
      }
    });
    this.holder.addEventListener("dblclick", (event) => {
      const box = this.boxAt(event);
      this.focus = box && box.node !== this.focus ? box.node : 0;
      this.draw();
    });
  }

  update(view: View, _: Changed) {
    this.sums = nodeSums(this.context.model, leafValues(this.context.region(), view.metric));
    this.draw();
  }

  private boxAt(event: MouseEvent): Box | undefined {
    const bounds = this.holder.getBoundingClientRect();
    const depth = Math.floor((event.clientY - bounds.top) / this.rowHeight());
    const x = event.clientX - bounds.left;
    return this.boxes.find((box) => box.depth === depth && box.x <= x && x < box.x + box.width);
  }

  private rowHeight(): number {
    return Math.round(rem() * 1.4);
  }

  private name(node: number): string {
    const { model } = this.context;
    return node ? model.functions.name[model.nodeFunction[node]] : "all";
  }

  private label(node: number): string {
    const isFrame = this.context.model.nodeKind[node] >> 1 === 0;
    return isFrame ? shortName(this.name(node)) : this.name(node);
  }

  private hover(event: MouseEvent) {
    const box = this.boxAt(event);
    if (!box || !this.sums) {
      tip.hide();
      return;
    }
    const { model } = this.context;
    const { self, total } = this.sums;
    const { metric } = this.context.store.view;
    tip.show(
      event,
      h("b", {}, this.name(box.node)),
      h(
        "div",
        {},
        `${metricValue(metric, total[box.node])}, ${percent(total[box.node] / total[0])} of the region's ${metricWords(model, metric)}`,
      ),
      self[box.node] > 0 ? h("div", {}, `${metricValue(metric, self[box.node])} in it itself`) : null,
      h(
        "div",
        {},
        `${model.place(model.nodeFile[box.node], model.nodeLine[box.node])}${model.nodeKind[box.node] & 1 ? " (inlined)" : ""}`,
      ),
      h("div", { class: "path" }, "click: choose · double click: spread"),
    );
  }

  // What follows a node as long as nearly all of it lies in one child, the last included.
  private chain(node: number, total: Float64Array): number[] {
    const chain: number[] = [];
    for (let at = node; ; ) {
      const next = this.children[at].find((child) => total[child] > 0.99 * total[node]);
      if (next === undefined) {
        return chain;
      }
      chain.push(next);
      at = next;
    }
  }

  private draw() {
    const { model } = this.context;
    const palette = this.context.palette();
    if (!this.sums) {
      return;
    }
    const { total } = this.sums;
    const width = this.holder.clientWidth;
    this.boxes = [];
    // Start-up code above main is a chain that nobody looks at.
    let root = this.focus;
    while (!this.focus && shortName(this.name(root)) !== "main") {
      const next = [...this.children[root]].find((child) => total[child] > 0.97 * total[root]);
      if (next === undefined) {
        break;
      }
      root = next;
    }
    if (!this.focus && root && shortName(this.name(root)) !== "main") {
      root = 0;
    }
    const stack: Box[] = [{ node: root, x: 0, width, depth: 0, skipped: 0 }];
    let deepest = 0;
    while (stack.length && total[root] > 0) {
      const box = stack.pop()!;
      this.boxes.push(box);
      deepest = Math.max(deepest, box.depth);
      const chain = this.chain(box.node, total);
      if (chain.length >= kChain) {
        const { x, depth } = box;
        this.boxes.push({ node: chain[0], x, width: box.width, depth: depth + 1, skipped: chain.length - 1 });
        stack.push({ node: chain[chain.length - 1], x, width: box.width, depth: depth + 2, skipped: 0 });
        deepest = Math.max(deepest, depth + 1);
        continue;
      }
      let x = box.x;
      for (const child of this.children[box.node]) {
        const wide = (total[child] / total[root]) * width;
        if (wide >= kLeastWidth) {
          stack.push({ node: child, x, width: wide, depth: box.depth + 1, skipped: 0 });
        }
        x += wide;
      }
    }
    const height = this.rowHeight();
    this.surface.begin(css(palette.ground), Math.max((deepest + 1) * height + 4, (this.element.clientHeight || 100) - 4));
    const { pen } = this.surface;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.font = font(0.85);
    if (!this.boxes.length) {
      pen.fillStyle = palette.faint;
      pen.fillText("Nothing was measured in this region.", rem(), rem() * 2);
    }
    const selected = this.context.selected();
    const isMarked = new Set<number>();
    if (selected) {
      selected.leaves.forEach((inside, leaf) => {
        for (let node = model.leafNode[leaf]; inside && node > 0 && !isMarked.has(node); node = model.nodeParent[node]) {
          isMarked.add(node);
        }
      });
      isMarked.add(root);
    }
    const { find } = this.context.store.view;
    const found = find ? findFunctions(model, find) : null;
    const waits = this.context.store.view.metric === "waiting";
    for (const { node, x, width: wide, depth, skipped } of this.boxes) {
      if ((depth + 1) * height < this.surface.top || depth * height > this.surface.bottom) {
        continue;
      }
      const isOwn = model.isOwn(model.nodeFunction[node]);
      const colour = frameColour(
        skipped ? "" : this.name(node),
        waits ? "waiting" : isOwn && !skipped ? "own" : "library",
        palette.dark,
      );
      const isFound = found !== null && !skipped && found[model.nodeFunction[node]] > 0;
      const isDim = found ? !isFound : selected !== null && !isMarked.has(node);
      pen.fillStyle = css(colour, isDim ? 0.35 : 1);
      pen.fillRect(x, depth * height, Math.max(wide - 1, 0.4), height - 1);
      if (wide > 28) {
        pen.fillStyle = isDim ? palette.faint : palette.dark ? "#0b0d12" : "#111";
        pen.fillText(
          fitted(pen, skipped ? `⋯ ${skipped} more` : this.label(node), wide - 8),
          x + 4,
          depth * height + height / 2,
        );
      }
    }
  }
}
