// Call paths of both sides as one flame graph: width is the time of one side, colour what changed.
import { css, Palette } from "../draw/palette";
import { h, tip } from "../draw/dom";
import { fitted, font, rem, Surface } from "../draw/surface";
import { duration, percent } from "../format";
import { changeColour, ratio, signed } from "./change";
import { Chosen } from "./chosen";
import { Data } from "./data";

const kLeastWidth = 0.6; // px
const kSure = 2; // standard deviations of sampling

interface Node {
  name: string;
  base: number;
  other: number;
  error: number;
  children: Node[];
}

interface Box {
  node: Node;
  x: number;
  width: number;
  depth: number;
}

function treeOf(data: Data): Node {
  const root: Node = { name: "all", base: 0, other: 0, error: 0, children: [] };
  const nodes: Node[] = [];
  for (const [parent, name, base, other, error] of data.paths) {
    const node: Node = { name: data.names[name], base, other, error, children: [] };
    nodes.push(node);
    (parent < 0 ? root : nodes[parent]).children.push(node);
  }
  root.base = root.children.reduce((sum, child) => sum + child.base, 0);
  root.other = root.children.reduce((sum, child) => sum + child.other, 0);
  return root;
}

// Start-up code above main is a chain of no interest.
function fromMain(root: Node): Node {
  for (let at = root; ; ) {
    const next = at.children.find((child) => child.base >= 0.97 * root.base && child.other >= 0.97 * root.other);
    if (!next || at.name === "main") {
      return at.name === "main" ? at : root;
    }
    at = next;
  }
}

export class DiffFlame {
  readonly element: HTMLElement;
  private readonly holder = h("div");
  private readonly surface: Surface;
  private readonly root: Node;
  private readonly first: Node; // shown at first
  private focus: Node;
  private side: "base" | "other" = "other";
  private boxes: Box[] = [];

  constructor(
    data: Data,
    private palette: () => Palette,
    private chosen: Chosen,
  ) {
    this.root = treeOf(data);
    this.focus = this.first = fromMain(this.root);
    const sides = (["other", "base"] as const).map((side) =>
      h(
        "button",
        { "aria-pressed": String(side === this.side), click: () => set(side) },
        side === "base" ? "the base's times" : "the new times",
      ),
    );
    const set = (side: "base" | "other") => {
      this.side = side;
      sides.forEach((button, i) => button.setAttribute("aria-pressed", String((i === 1) === (side === "base"))));
      this.draw();
    };
    this.element = h(
      "section",
      { class: "part" },
      h(
        "header",
        {},
        h("h2", {}, "Where"),
        h("span", { class: "choice" }, ...sides),
        h(
          "span",
          { class: "hint" },
          "width: time; red: slower, blue: faster, grey: no more than sampling makes of it · click: mark · double click: spread",
        ),
      ),
      this.holder,
    );
    this.surface = new Surface(this.holder, "flame graph of differences", () => this.draw());
    this.holder.addEventListener("mousemove", (event) => this.hover(event));
    this.holder.addEventListener("mouseleave", () => tip.hide());
    this.holder.addEventListener("click", (event) => {
      const box = this.boxAt(event);
      if (box) {
        chosen.set(box.node === this.first ? chosen.name : box.node.name);
      }
    });
    this.holder.addEventListener("dblclick", (event) => {
      const box = this.boxAt(event);
      this.focus = box && box.node !== this.focus ? box.node : this.first;
      this.draw();
    });
    chosen.onChange(() => this.draw());
  }

  private rowHeight(): number {
    return Math.round(rem() * 1.4);
  }

  private boxAt(event: MouseEvent): Box | undefined {
    const bounds = this.holder.getBoundingClientRect();
    const depth = Math.floor((event.clientY - bounds.top) / this.rowHeight());
    const x = event.clientX - bounds.left;
    return this.boxes.find((box) => box.depth === depth && box.x <= x && x < box.x + box.width);
  }

  // Of a function's colour: the size of the difference relative to the larger of both, beyond the error of sampling.
  private strength(node: Node): number {
    const difference = node.other - node.base;
    const most = Math.max(node.base, node.other);
    return Math.abs(difference) > kSure * node.error && Math.abs(difference) > 0.001 * this.root[this.side]
      ? (2 * difference) / most
      : 0;
  }

  private hover(event: MouseEvent) {
    const box = this.boxAt(event);
    if (!box) {
      tip.hide();
      return;
    }
    const { node } = box;
    const inside = (side: "base" | "other") => node[side] - node.children.reduce((sum, child) => sum + child[side], 0);
    tip.show(
      event,
      h("b", {}, node.name),
      h(
        "div",
        {},
        `${signed(node.other - node.base)}, ${ratio(node.base, node.other) || "no difference"}${node.error ? ` (± ${duration(node.error)} by sampling)` : ""}`,
      ),
      h(
        "div",
        {},
        `base ${duration(node.base)}, ${percent(node.base / this.root.base)}; new ${duration(node.other)}, ${percent(node.other / this.root.other)}`,
      ),
      h(
        "div",
        { class: "path" },
        `in it itself, and in what is too small to be shown: ${duration(Math.max(0, inside("base")))} → ${duration(Math.max(0, inside("other")))}`,
      ),
    );
  }

  draw() {
    const palette = this.palette();
    const width = this.holder.clientWidth;
    this.boxes = [];
    const all = this.focus[this.side];
    const stack: Box[] = [{ node: this.focus, x: 0, width, depth: 0 }];
    let deepest = 0;
    while (stack.length && all > 0) {
      const box = stack.pop()!;
      this.boxes.push(box);
      deepest = Math.max(deepest, box.depth);
      let x = box.x;
      for (const child of box.node.children) {
        const wide = (child[this.side] / all) * width;
        if (wide >= kLeastWidth) {
          stack.push({ node: child, x, width: wide, depth: box.depth + 1 });
        }
        x += wide;
      }
    }
    const height = this.rowHeight();
    this.surface.begin(css(palette.ground), (deepest + 1) * height + 4);
    const { pen } = this.surface;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.font = font(0.85);
    if (!this.boxes.length) {
      pen.fillStyle = palette.faint;
      pen.fillText("Nothing was measured on this side.", 0, height / 2);
    }
    for (const { node, x, width: wide, depth } of this.boxes) {
      const isDim = this.chosen.name !== "" && this.chosen.name !== node.name;
      pen.fillStyle = css(changeColour(palette, this.strength(node)), isDim ? 0.45 : 1);
      pen.fillRect(x, depth * height, Math.max(wide - 1, 0.4), height - 1);
      if (this.chosen.name === node.name) {
        pen.strokeStyle = palette.mark;
        pen.lineWidth = 1.5;
        pen.strokeRect(x + 1, depth * height + 1, Math.max(wide - 3, 1), height - 3);
      }
      if (wide > 28) {
        pen.fillStyle = palette.dark ? "#fff" : "#111";
        pen.fillText(fitted(pen, node.name, wide - 8), x + 4, depth * height + height / 2);
      }
    }
  }
}
