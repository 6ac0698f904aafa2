// The frames of flame graphs: call paths of a region, merged by function.
//
// Top-down frames have callers above, inverted ones callees; a sandwich has both around one function. Frames of one
// function below one frame are one, heaviest first.
import { FlameEdit } from "../state";
import { Metric, isCounted } from "./calltree";
import { firstAfter, Level } from "./level";
import { Model } from "./model";

export interface Frame {
  fn: number;
  parent: Frame | null;
  children: Frame[];
  value: number; // with all below
  self: number;
  begin: number; // where it is drawn: of a time order ns, else sums of values
  span: number;
  node: number; // of the call tree: the heaviest of the nodes that it shows
  nodes: number[];
}

// The call tree after edits: a node is shown itself or is part of another one.
export interface EditedTree {
  fn: Uint32Array;
  parent: Int32Array; // of nodes that are shown themselves
  of: Int32Array; // node → the one it is part of
  self: Float64Array; // of nodes that are shown themselves
}

// Cost: linear in the tree.
export function editTree(model: Model, self: Float64Array, edits: FlameEdit[]): EditedTree {
  const size = model.nodeParent.length;
  const how = new Map(edits.map((edit) => [edit.fn, edit.how]));
  const of = new Int32Array(size);
  const parent = new Int32Array(size).fill(-1);
  const isMerged = new Uint8Array(size); // all below is part of it
  const sums = new Float64Array(size);
  sums[0] = self[0];
  for (let node = 1; node < size; node++) {
    const above = of[model.nodeParent[node]];
    const edit = how.get(model.nodeFunction[node]);
    of[node] = isMerged[above] || edit === "hide" ? above : node;
    parent[node] = above;
    isMerged[node] = edit === "merge" ? 1 : 0;
    sums[of[node]] += self[node];
  }
  return { fn: model.nodeFunction, parent, of, self: sums };
}

function makeFrame(fn: number, parent: Frame | null): Frame {
  return { fn, parent, children: [], value: 0, self: 0, begin: 0, span: 0, node: 0, nodes: [] };
}

// Frames below `parent`, found by function.
class Children {
  private known = new Map<Frame, Map<number, Frame>>();

  at(parent: Frame, fn: number): Frame {
    let children = this.known.get(parent);
    if (!children) {
      this.known.set(parent, (children = new Map()));
    }
    let frame = children.get(fn);
    if (!frame) {
      children.set(fn, (frame = makeFrame(fn, parent)));
      parent.children.push(frame);
    }
    return frame;
  }
}

// Heaviest first, each beside the one before.
function place(root: Frame, begin: number) {
  const stack = [root];
  root.begin = begin;
  while (stack.length) {
    const frame = stack.pop()!;
    frame.span = frame.value;
    frame.children.sort((a, b) => b.value - a.value);
    let at = frame.begin;
    for (const child of frame.children) {
      child.begin = at;
      at += child.value;
      stack.push(child);
    }
  }
}

// The costs of nodes with all below them.
function totals(tree: EditedTree): Float64Array {
  const total = tree.self.slice();
  for (let node = total.length - 1; node > 0; node--) {
    if (tree.of[node] === node) {
      total[tree.parent[node]] += total[node];
    }
  }
  return total;
}

function noteNode(frame: Frame, node: number, total: Float64Array) {
  frame.nodes.push(node);
  if (frame.nodes.length === 1 || total[node] > total[frame.node]) {
    frame.node = node;
  }
}

export function topDown(tree: EditedTree): Frame {
  return below(tree, null).root;
}

// Callees of one function, or of all (null), and the nodes that its root shows.
function below(tree: EditedTree, fn: number | null): { root: Frame; tops: number[]; total: Float64Array } {
  const total = totals(tree);
  const root = makeFrame(fn ?? 0, null);
  const children = new Children();
  const frames: (Frame | undefined)[] = [fn === null ? root : undefined];
  const tops: number[] = fn === null ? [0] : [];
  for (let node = 1; node < total.length; node++) {
    if (tree.of[node] !== node || !(total[node] > 0)) {
      continue;
    }
    const above = frames[tree.parent[node]];
    const frame = above ? children.at(above, tree.fn[node]) : tree.fn[node] === fn ? root : undefined;
    if (frame) {
      frames[node] = frame;
      frame.value += total[node];
      frame.self += tree.self[node];
      noteNode(frame, node, total);
      if (frame === root) {
        tops.push(node);
      }
    }
  }
  if (fn === null) {
    root.value = total[0];
    root.self = tree.self[0];
  }
  place(root, 0);
  return { root, tops, total };
}

// Adds a cost to the callers of a node, innermost first.
function addCallers(tree: EditedTree, root: Frame, node: number, value: number, children: Children, total: Float64Array) {
  let frame = root;
  for (let at = tree.parent[node]; at > 0; at = tree.parent[at]) {
    frame = children.at(frame, tree.fn[at]);
    frame.value += value;
    noteNode(frame, at, total);
  }
  frame.self += value;
}

// Functions by their own cost, below each its callers. Cost: nodes times their depths.
export function inverted(tree: EditedTree): Frame {
  const total = totals(tree);
  const root = makeFrame(0, null);
  const children = new Children();
  for (let node = 1; node < total.length; node++) {
    const value = tree.self[node];
    if (tree.of[node] === node && value > 0) {
      const frame = children.at(root, tree.fn[node]);
      frame.value += value;
      noteNode(frame, node, total);
      root.value += value;
      addCallers(tree, frame, node, value, children, total);
    }
  }
  root.self = tree.self[0];
  root.value += tree.self[0];
  place(root, 0);
  return root;
}

// One function: frames of its callers, and of its callees; both roots are the function. A call of it below itself is
// among its callees.
export function sandwich(tree: EditedTree, fn: number): { callers: Frame; callees: Frame } {
  const { root: callees, tops, total } = below(tree, fn);
  const callers = makeFrame(fn, null);
  const children = new Children();
  for (const node of tops) {
    callers.value += total[node];
    noteNode(callers, node, total);
    addCallers(tree, callers, node, total[node], children, total);
  }
  place(callers, 0);
  return { callers, callees };
}

const kRounding = 100; // ns: of lengths, which are 32-bit floats

export interface TimeRequest {
  level: Level;
  thread: number;
  from: number;
  to: number;
  metric: Metric;
}

// For one thread, frames in time order. Cells of one bin are placed one behind the other as they are stored:
// the order within a bin is not known.
export function timeOrder(model: Model, tree: EditedTree, { level, thread, from, to, metric }: TimeRequest): Frame {
  const root = makeFrame(0, null);
  root.begin = from;
  root.span = to - from;
  const path: number[] = [];
  const open: Frame[] = [root];
  let bin = -1;
  let at = 0;
  for (let i = firstAfter(level, thread, from); i < level.first[thread + 1] && level.begin[i] < to; i++) {
    at = level.begin[i] === bin && !level.length ? at : level.begin[i];
    bin = level.begin[i];
    const begin = Math.max(at, from);
    const end = Math.min(at + level.ns[i], to);
    at += level.ns[i];
    const value = typeof metric === "number" ? level.events[metric][i] : end - begin;
    if (end <= begin || !isCounted(level.state[i], typeof metric === "number" ? "processor" : metric)) {
      continue;
    }
    path.length = 0;
    for (let node = tree.of[model.leafNode[level.leaf[i]]]; node > 0; node = tree.parent[node]) {
      path.push(node);
    }
    // Frames that continue, and that end.
    const isNear = begin - (open[open.length - 1].begin + open[open.length - 1].span) <= Math.max(level.width, kRounding);
    let depth = 1;
    while (isNear && depth < open.length && depth <= path.length && open[depth].node === path[path.length - depth]) {
      depth++;
    }
    open.length = depth;
    for (; depth <= path.length; depth++) {
      const node = path[path.length - depth];
      const frame = makeFrame(tree.fn[node], open[depth - 1]);
      frame.node = node;
      frame.nodes.push(node);
      frame.begin = begin;
      open[depth - 1].children.push(frame);
      open.push(frame);
    }
    open.forEach((frame, index) => {
      frame.value += value;
      frame.span = index ? end - frame.begin : frame.span;
    });
    open[open.length - 1].self += value;
  }
  return root;
}
