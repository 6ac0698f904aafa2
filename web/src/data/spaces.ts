// Code spaces as a tree for rows: by call path, by address inside images, or by function. Leaves of the data
// (a line on a call path) belong to one tree node each; a tree node's space is everything beneath it.
import { shortName, withoutArguments } from "../format";
import { Model, State } from "./model";

export type Order = "path" | "address" | "function";

export interface SpaceTree {
  order: Order;
  parent: Int32Array; // −1: the root, which is number 0 and not shown
  children: number[][];
  label: string[];
  title: string[]; // in full
  key: string[]; // identifies the node in the page's address
  leafNode: Int32Array; // leaf → its tree node
  heat: Float64Array; // the cost beneath it over the whole range, by which rows are chosen
  selfHeat: Float64Array;
  onProcessor: Float64Array; // ns beneath it, over the whole range
  fn: Int32Array; // its function, or the one that it is part of; −1: none
  callNode: Int32Array; // of order "path"; −1: none
}

// Time on a processor counts fully, waiting a quarter: computing code comes first.
export const kHeat = [1, 1, 0.25, 0.25, 0.1, 0, 1];

export const kOnProcessor = [State.User, State.System, State.Spinning];

export interface LeafTimes {
  byState: Float64Array; // leaf × 8 + state
  events: Float64Array[]; // by leaf
}

class TreeMaker {
  parent: number[] = [-1];
  label: string[] = [""];
  title: string[] = [""];
  key: string[] = [""];
  fn: number[] = [-1];
  callNode: number[] = [0];
  private known = new Map<string, number>();

  node(parent: number, key: string, make: () => { label: string; title: string; fn?: number; callNode?: number }): number {
    let at = this.known.get(key);
    if (at === undefined) {
      at = this.parent.length;
      this.known.set(key, at);
      const { label, title, fn, callNode } = make();
      this.parent.push(parent);
      this.label.push(label);
      this.title.push(title);
      this.key.push(key);
      this.fn.push(fn ?? -1);
      this.callNode.push(callNode ?? -1);
    }
    return at;
  }

  finish(order: Order, leafNode: Int32Array, times: LeafTimes, byHeat: boolean): SpaceTree {
    const size = this.parent.length;
    const heat = new Float64Array(size);
    const onProcessor = new Float64Array(size);
    for (let leaf = 0; leaf < leafNode.length; leaf++) {
      for (const state of kOnProcessor) {
        onProcessor[leafNode[leaf]] += times.byState[leaf * 8 + state];
      }
      for (let state = 0; state < kHeat.length; state++) {
        heat[leafNode[leaf]] += kHeat[state] * times.byState[leaf * 8 + state];
      }
    }
    const selfHeat = heat.slice();
    for (let node = size - 1; node > 0; node--) {
      heat[this.parent[node]] += heat[node];
      onProcessor[this.parent[node]] += onProcessor[node];
    }
    const children: number[][] = Array.from({ length: size }, () => []);
    for (let node = 1; node < size; node++) {
      children[this.parent[node]].push(node);
    }
    if (byHeat) {
      for (const list of children) {
        list.sort((a, b) => heat[b] - heat[a]);
      }
    }
    const { label, title, key } = this;
    const parent = Int32Array.from(this.parent);
    const fn = Int32Array.from(this.fn);
    return {
      order,
      parent,
      children,
      label,
      title,
      key,
      leafNode,
      heat,
      selfHeat,
      onProcessor,
      fn,
      callNode: Int32Array.from(this.callNode),
    };
  }
}

function lineLabel(model: Model, line: number): string {
  return model.place(model.lineFile[line], model.lineNumber[line]) || "line not known";
}

export function nodeName(model: Model, node: number): string {
  if (node === 0) {
    return "not sampled";
  }
  return model.functions.name[model.nodeFunction[node]] || "?";
}

function byPath(model: Model, times: LeafTimes): SpaceTree {
  const maker = new TreeMaker();
  const of = new Int32Array(model.nodeParent.length);
  const hasCalls = new Uint8Array(of.length);
  for (let node = 1; node < of.length; node++) {
    const fn = model.nodeFunction[node];
    const isFrame = model.nodeKind[node] >> 1 === 0;
    const name = model.functions.name[fn];
    const parent = model.nodeParent[node];
    if (isFrame && parent && model.nodeFunction[parent] === fn) {
      of[node] = of[parent]; // direct recursion is one row
      continue;
    }
    of[node] = maker.node(of[parent], `c${node}`, () => ({
      label: isFrame ? shortName(name) : name,
      title: name + (model.nodeKind[node] & 1 ? " (inlined)" : ""),
      fn: isFrame ? fn : -1,
      callNode: node,
    }));
    hasCalls[parent] = 1;
  }
  const linesOf = new Map<number, number>();
  for (let leaf = 0; leaf < model.leafNode.length; leaf++) {
    const at = of[model.leafNode[leaf]];
    linesOf.set(at, (linesOf.get(at) ?? 0) + 1);
  }
  const leafNode = new Int32Array(model.leafNode.length);
  for (let leaf = 0; leaf < leafNode.length; leaf++) {
    const node = model.leafNode[leaf];
    const line = model.leafLine[leaf];
    if (node === 0) {
      leafNode[leaf] = maker.node(0, "none", () => ({ label: "not sampled", title: "no call path is known" }));
      continue;
    }
    const fn = model.nodeFunction[node];
    let parent = of[node];
    if (hasCalls[node]) {
      parent = maker.node(parent, `s${node}`, () => ({
        label: "itself",
        title: `${model.functions.name[fn]} itself`,
        fn,
        callNode: node,
      }));
    }
    leafNode[leaf] =
      line === 0 || linesOf.get(of[node]) === 1
        ? parent
        : maker.node(parent, `l${leaf}`, () => ({
            label: lineLabel(model, line),
            title: `${lineLabel(model, line)} in ${model.functions.name[fn]}`,
            fn,
            callNode: node,
          }));
  }
  return maker.finish("path", leafNode, times, true);
}

function byAddress(model: Model, times: LeafTimes): SpaceTree {
  const maker = new TreeMaker();
  // Lines by address, so that rows are made in memory order.
  const order = Array.from(model.lineFirst.keys()).sort(
    (a, b) => model.lineImage[a] - model.lineImage[b] || model.lineFirst[a] - model.lineFirst[b],
  );
  const of = new Int32Array(model.lineFirst.length);
  for (const line of order) {
    if (line === 0) {
      continue;
    }
    const path = model.images[model.lineImage[line]] ?? "";
    const image = maker.node(0, `i${model.lineImage[line]}`, () => ({
      label: path.slice(path.lastIndexOf("/") + 1),
      title: path,
    }));
    const fn = model.lineFunction[line];
    const name = model.functions.name[fn];
    const at = maker.node(image, `i${model.lineImage[line]}f${fn}`, () => ({
      label: shortName(name),
      title: `${name}, from 0x${model.lineFirst[line].toString(16)} in ${path}`,
      fn,
    }));
    of[line] = maker.node(at, `n${line}`, () => ({
      label: lineLabel(model, line),
      title: `${lineLabel(model, line)}, 0x${model.lineFirst[line].toString(16)} – 0x${model.lineLast[line].toString(16)}`,
      fn,
    }));
  }
  const leafNode = new Int32Array(model.leafNode.length);
  for (let leaf = 0; leaf < leafNode.length; leaf++) {
    const line = model.leafLine[leaf];
    leafNode[leaf] = line
      ? of[line]
      : maker.node(0, "none", () => ({ label: "no address", title: "time without a sampled address" }));
  }
  return maker.finish("address", leafNode, times, false);
}

function byFunction(model: Model, times: LeafTimes): SpaceTree {
  const maker = new TreeMaker();
  const leafNode = new Int32Array(model.leafNode.length);
  for (let leaf = 0; leaf < leafNode.length; leaf++) {
    const line = model.leafLine[leaf];
    const fn = line ? model.lineFunction[line] : model.nodeFunction[model.leafNode[leaf]];
    const name = model.functions.name[fn] || "not sampled";
    const at = maker.node(0, `f${fn}`, () => ({ label: withoutArguments(name), title: name, fn }));
    leafNode[leaf] = line
      ? maker.node(at, `f${fn}n${line}`, () => ({ label: lineLabel(model, line), title: lineLabel(model, line), fn }))
      : at;
  }
  return maker.finish("function", leafNode, times, true);
}

export function makeSpaces(model: Model, order: Order, times: LeafTimes): SpaceTree {
  return order === "path" ? byPath(model, times) : order === "address" ? byAddress(model, times) : byFunction(model, times);
}

// The rows to open at first: always the one that hides most, until about `rows` are shown. Lines stay closed.
export function openHottest(tree: SpaceTree, rows: number): Set<number> {
  const open = new Set<number>([0]);
  const all = tree.heat[0] || 1;
  const holdsLines = (node: number) => tree.children[node].every((child) => /^l|n\d+$/.test(tree.key[child]));
  const hidden = (node: number) => (holdsLines(node) ? 0 : tree.heat[node] - tree.selfHeat[node]);
  const shown = (node: number) => tree.children[node].filter((child) => tree.heat[child] >= kLeastShown * all).length;
  const candidates = tree.children[0].slice();
  let count = shown(0);
  while (candidates.length) {
    let best = 0;
    for (let i = 1; i < candidates.length; i++) {
      if (hidden(candidates[i]) > hidden(candidates[best])) {
        best = i;
      }
    }
    const [node] = candidates.splice(best, 1);
    // One child continues the row (visibleRows joins chains); several make rows of their own.
    const more = shown(node) > 1 ? shown(node) : 0;
    if (hidden(node) <= 0.01 * all || count + more > rows) {
      break;
    }
    open.add(node);
    count += more;
    candidates.push(...tree.children[node]);
  }
  return open;
}

// Share of all heat below which a space is part of the one above.
export const kLeastShown = 0.004;

export interface Row {
  node: number;
  depth: number;
  label: string;
  isOpen: boolean;
  canOpen: boolean;
  isItself: boolean; // an open row's time outside its shown children
}

// The rows for open nodes. Chains of nodes that each do nothing but call the next one are one row.
export function visibleRows(tree: SpaceTree, open: Set<number>): { rows: Row[]; rowOf: Int32Array } {
  const rows: Row[] = [];
  const rowOf = new Int32Array(tree.parent.length).fill(-1); // tree node → row that its own time belongs to
  const all = tree.heat[0] || 1;
  const fill = (node: number, row: number) => {
    const stack = [node];
    while (stack.length) {
      const at = stack.pop()!;
      rowOf[at] = row;
      stack.push(...tree.children[at]);
    }
  };
  const occurrence = (node: number, depth: number) => {
    const names = [tree.label[node]];
    let last = node;
    // A chain: nearly everything is in one child.
    // A process has a row of its own.
    while (open.has(last) && tree.children[last].length > 0 && tree.fn[last] >= 0) {
      const child = tree.children[last].reduce((a, b) => (tree.heat[a] >= tree.heat[b] ? a : b));
      if (tree.heat[last] - tree.heat[child] > 0.01 * tree.heat[last] || !open.has(child)) {
        break;
      }
      last = child;
      names.push(tree.label[last]);
    }
    const label = names.length > 2 ? `… › ${names[names.length - 1]}` : names.join(" › ");
    const children = tree.children[last];
    const isOpen = open.has(last) && children.length > 0;
    const row = rows.length;
    rows.push({ node: last, depth, label, isOpen, canOpen: children.length > 0, isItself: false });
    fill(node, row);
    if (!isOpen) {
      return;
    }
    const shown = children.filter((child) => tree.heat[child] >= kLeastShown * all);
    for (const child of shown) {
      occurrence(child, depth + 1);
    }
    const rest = tree.heat[last] - shown.reduce((sum, child) => sum + tree.heat[child], 0);
    if (rest >= kLeastShown * all && shown.length) {
      const itself = rows.length;
      rows.push({
        node: last,
        depth: depth + 1,
        label: "smaller ones",
        isOpen: false,
        canOpen: false,
        isItself: true,
      });
      rowOf[last] = itself;
      for (const child of children) {
        if (!shown.includes(child)) {
          fill(child, itself);
        }
      }
    }
  };
  for (const child of tree.children[0]) {
    if (tree.heat[child] >= kLeastShown * all) {
      occurrence(child, 0);
    }
  }
  return { rows, rowOf };
}

// All leaves beneath a tree node.
export function leavesBeneath(tree: SpaceTree, node: number): Uint8Array {
  const inside = new Uint8Array(tree.parent.length);
  const stack = [node];
  while (stack.length) {
    const at = stack.pop()!;
    inside[at] = 1;
    stack.push(...tree.children[at]);
  }
  const leaves = new Uint8Array(tree.leafNode.length);
  for (let leaf = 0; leaf < leaves.length; leaf++) {
    leaves[leaf] = inside[tree.leafNode[leaf]];
  }
  return leaves;
}
