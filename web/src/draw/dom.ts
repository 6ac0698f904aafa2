// Elements in one line each. Texts go in as text, never as markup: names come from other people's programs.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | ((event: any) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name, value as EventListener);
    } else if (name.startsWith("aria-")) {
      element.setAttribute(name, String(value)); // "false" says something there
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false) {
      element.setAttribute(name, String(value));
    }
  }
  for (const child of children) {
    if (child) {
      element.append(child);
    }
  }
  return element;
}

export function replace(element: Element, ...children: Child[]) {
  element.replaceChildren(...(children.filter(Boolean) as (Node | string)[]));
}

// In place of a page that fails.
export function showFailure(error: unknown) {
  const words = `This page cannot be shown: ${(error as Error).message}. It needs a browser of 2023 or later.`;
  replace(document.getElementById("app")!, h("p", { class: "starting" }, words));
}

// A box beside the pointer.
class Tip {
  private box = h("div", { class: "tip", role: "tooltip", hidden: true });

  constructor() {
    addEventListener("DOMContentLoaded", () => document.body.append(this.box));
    if (document.body) {
      document.body.append(this.box);
    }
  }

  show(event: MouseEvent, ...children: Child[]) {
    replace(this.box, ...children);
    this.box.hidden = false;
    const { innerWidth, innerHeight } = window;
    const { offsetWidth, offsetHeight } = this.box;
    const x = event.clientX + 14 + offsetWidth > innerWidth ? event.clientX - offsetWidth - 10 : event.clientX + 14;
    const y = event.clientY + 18 + offsetHeight > innerHeight ? event.clientY - offsetHeight - 10 : event.clientY + 18;
    this.box.style.left = `${Math.max(4, x)}px`;
    this.box.style.top = `${Math.max(4, y)}px`;
  }

  hide() {
    this.box.hidden = true;
  }
}

export const tip = new Tip();
