// Above the flame graph: its order, what was hidden or merged, and words about the frame that has the focus.
import { h, replace } from "../draw/dom";
import { shortName } from "../format";
import { FlameEdit, FlameOrder, View } from "../state";
import { Context } from "./context";

const kOrders: [FlameOrder, string, string][] = [
  ["heavy", "Left-heavy", "callers above, heaviest first"],
  ["time", "Time order", "one thread's call paths as they followed each other"],
  ["inverted", "Inverted", "functions by their own cost, callers below"],
  ["sandwich", "Sandwich", "the chosen function: its callers above, what it calls below"],
];

export class FlameBar {
  readonly element: HTMLElement;
  readonly words = h("output", { class: "focus", "aria-live": "polite" });
  private orders: HTMLElement;
  private chips = h("span", { class: "chips" });

  // `focused`: the function that has the focus; −1: none.
  constructor(
    private context: Context,
    private focused: () => number,
  ) {
    const { store } = context;
    this.orders = h(
      "span",
      { class: "choice", role: "radiogroup", "aria-label": "order of the flame graph" },
      ...kOrders.map(([flame, words, title]) =>
        h("button", { role: "radio", title, "data-order": flame, click: () => store.set({ flame }) }, words),
      ),
    );
    this.element = h(
      "div",
      { class: "flame-bar" },
      this.orders,
      h("button", { title: "its callers call what it calls (h)", click: () => this.edit("hide") }, "Hide"),
      h("button", { title: "what it calls becomes part of it (j)", click: () => this.edit("merge") }, "Merge"),
      this.chips,
      this.words,
    );
  }

  edit(how: FlameEdit["how"]) {
    const fn = this.focused();
    const { edits } = this.context.store.view;
    if (fn >= 0) {
      this.context.store.set({ edits: [...edits.filter((edit) => edit.fn !== fn), { how, fn }] });
    }
  }

  undo() {
    this.context.store.set({ edits: this.context.store.view.edits.slice(0, -1) });
  }

  update({ flame, edits }: View) {
    for (const button of this.orders.children) {
      button.setAttribute("aria-checked", String((button as HTMLElement).dataset.order === flame));
    }
    const { model, store } = this.context;
    const known = edits.filter(({ fn }) => fn < model.functions.name.length);
    replace(
      this.chips,
      ...known.map((edit) => {
        const name = shortName(model.functions.name[edit.fn]);
        const words = `${edit.how === "hide" ? "hidden" : "merged"}: ${name}`;
        return h(
          "button",
          {
            class: "chip",
            title: `${model.functions.name[edit.fn]}: undo`,
            "aria-label": `${words}; undo`,
            click: () => store.set({ edits: store.view.edits.filter(({ fn }) => fn !== edit.fn) }),
          },
          `${words} ✕`,
        );
      }),
      known.length > 1 ? h("button", { class: "chip", title: "undo the last (u)", click: () => this.undo() }, "Undo") : null,
    );
  }
}
