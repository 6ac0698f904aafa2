// The search field: matches are marked in rows, flame graph and tables; Enter goes from one space to the next.
import { h } from "../draw/dom";
import { count } from "../format";
import { View } from "../state";
import { anyOf, Changed, Context, ViewPart } from "./context";

export class Search implements ViewPart {
  readonly element: HTMLElement;
  private input = h("input", {
    type: "search",
    placeholder: "Find ( / )",
    "aria-label": "find functions, files and lines",
    spellcheck: "false",
    input: () => this.context.store.set({ find: this.input.value }),
    keydown: (event: KeyboardEvent) => this.key(event),
  });
  private told = h("output", { "aria-live": "polite" });
  private steps = h(
    "span",
    { hidden: true },
    h("button", { "aria-label": "previous match", title: "previous (Shift Enter)", click: () => this.go(-1) }, "↑"),
    h("button", { "aria-label": "next match", title: "next (Enter)", click: () => this.go(1) }, "↓"),
  );

  // `marked`: elements in whose texts matches are marked.
  constructor(
    private context: Context,
    private marked: () => HTMLElement[],
  ) {
    this.element = h("search", { class: "search" }, this.input, this.told, this.steps);
  }

  // At once: the following keys belong to the field.
  open() {
    this.input.focus();
    this.input.select();
  }

  private key(event: KeyboardEvent) {
    if (event.key === "Enter") {
      this.go(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.context.store.set({ find: "" });
      this.input.value = "";
      this.input.blur();
    } else {
      return;
    }
    event.preventDefault();
  }

  private go(step: number) {
    const { store } = this.context;
    const tree = this.context.tree();
    const nodes = this.context.found() ?? [];
    if (!nodes.length) {
      return;
    }
    const at = this.at();
    const next = at < 0 ? (step > 0 ? 0 : nodes.length - 1) : (at + step + nodes.length) % nodes.length;
    store.set({ space: tree.key[nodes[next]] });
  }

  // Number of the chosen space among the matches; −1: not among them.
  private at(): number {
    const selected = this.context.selected();
    return selected ? (this.context.found()?.indexOf(selected.node) ?? -1) : -1;
  }

  update({ find }: View, changed: Changed) {
    if (anyOf(changed, "find", "space", "order")) {
      if (this.input.value !== find) {
        this.input.value = find;
      }
      const all = this.context.found()?.length ?? 0;
      const at = this.at();
      this.told.textContent = !find ? "" : !all ? "nothing" : at < 0 ? count(all) : `${count(at + 1)} of ${count(all)}`;
      this.steps.hidden = !all;
    }
    if (find !== this.searched) {
      this.searched = find;
      this.mark();
    }
  }

  // Views rebuild their texts at any time: marks follow.
  private observer = new MutationObserver(() => this.mark());
  private searched = "";

  private mark() {
    this.observer.disconnect();
    for (const element of this.marked()) {
      unmark(element);
      if (this.searched) {
        markText(element, this.searched);
        this.observer.observe(element, { childList: true, subtree: true });
      }
    }
  }
}

function unmark(element: HTMLElement) {
  for (const mark of element.querySelectorAll("mark")) {
    const parent = mark.parentNode!;
    mark.replaceWith(...mark.childNodes);
    parent.normalize();
  }
}

const kMostMarks = 2000;

function markText(element: HTMLElement, text: string) {
  const wanted = text.toLowerCase();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const spots: [Text, number][] = [];
  for (
    let node = walker.nextNode() as Text | null;
    node && spots.length < kMostMarks;
    node = walker.nextNode() as Text | null
  ) {
    const isName = node.parentElement?.closest("td, code, .name, h3") && !node.parentElement.closest("select, button.moment");
    const at = isName ? node.data.toLowerCase().indexOf(wanted) : -1;
    if (at >= 0 && at + text.length <= node.data.length) {
      spots.push([node, at]);
    }
  }
  for (const [node, at] of spots) {
    const found = node.splitText(at);
    found.splitText(text.length);
    const mark = document.createElement("mark");
    found.replaceWith(mark);
    mark.append(found);
  }
}
