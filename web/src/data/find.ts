// The matches of a searched text: spaces of the rows, and functions. Upper and lower case are alike.
import { Model } from "./model";
import { SpaceTree } from "./spaces";

// A line and a function's own part are found by their own label: their title names the function, which is found itself.
const kParts = /^(s|l|.*n)\d+$/;

// Nodes of the tree, from the top row to the bottom one. Cost: linear in the tree.
export function findSpaces(tree: SpaceTree, text: string): number[] {
  const wanted = text.toLowerCase();
  const nodes: number[] = [];
  const stack = [0];
  while (stack.length) {
    const node = stack.pop()!;
    const name = kParts.test(tree.key[node]) ? tree.label[node] : tree.title[node];
    if (node && name.toLowerCase().includes(wanted)) {
      nodes.push(node);
    }
    for (let i = tree.children[node].length - 1; i >= 0; i--) {
      stack.push(tree.children[node][i]);
    }
  }
  return nodes;
}

// By function.
export function findFunctions(model: Model, text: string): Uint8Array {
  const wanted = text.toLowerCase();
  return Uint8Array.from(model.functions.name, (name) => (name.toLowerCase().includes(wanted) ? 1 : 0));
}
