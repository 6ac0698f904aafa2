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
      element.setAttribute(name, String(value)); // "false" has a meaning there
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

// A text that may be cut for lack of room: the tooltip has all of it.
export function titled<K extends keyof HTMLElementTagNameMap>(tag: K, kind: string, text: string): HTMLElementTagNameMap[K] {
  return h(tag, { class: kind, title: text }, text);
}

// Views rebuild their contents at any time: the focus stays in its place, or keys would begin at the page's top again.
export function replace(element: Element, ...children: Child[]) {
  const place = placeOfFocus(element);
  element.replaceChildren(...(children.filter(Boolean) as (Node | string)[]));
  const now = place?.reduce<Element | undefined>((at, index) => at?.children[index], element);
  if (now instanceof HTMLElement && now !== document.activeElement) {
    now.focus({ preventScroll: true });
  }
}

// Which child of which child has the focus; null: none.
function placeOfFocus(element: Element): number[] | null {
  const { activeElement } = document;
  const place: number[] = [];
  for (let at = activeElement; at && at !== element; at = at.parentElement) {
    place.unshift(at.parentElement ? [...at.parentElement.children].indexOf(at) : 0);
  }
  return activeElement !== element && element.contains(activeElement) ? place : null;
}

// Shown in place of a page that fails.
export function showFailure(error: unknown) {
  const words = `This page cannot be shown: ${(error as Error).message}. It needs a browser of 2023 or later.`;
  replace(document.getElementById("app")!, h("p", { class: "starting" }, words));
}

const kPointer = { above: 10, below: 18, beside: 14 }; // px that it covers
const kGap = 4; // px

// A box beside the pointer, inside the window, never over its row.
class Tip {
  private box = h("div", { class: "tip", role: "tooltip", hidden: true });

  constructor() {
    addEventListener("DOMContentLoaded", () => document.body.append(this.box));
    if (document.body) {
      document.body.append(this.box);
    }
  }

  // For no row: it only keeps off the pointer.
  show(event: MouseEvent, ...children: Child[]) {
    this.place(event, event.clientY - kPointer.above, event.clientY + kPointer.below, children);
  }

  // Below the row, or above it if there is more room.
  besideRow(event: MouseEvent, top: number, height: number, ...children: Child[]) {
    this.place(event, top - kGap, top + height + kGap, children);
  }

  private place(event: MouseEvent, top: number, bottom: number, children: Child[]) {
    const { box } = this;
    replace(box, ...children);
    box.hidden = false;
    box.style.maxHeight = "";
    const { innerWidth, innerHeight } = window;
    const below = innerHeight - bottom - kGap;
    const above = top - kGap;
    const isBelow = box.offsetHeight <= below || below >= above;
    box.style.maxHeight = `${Math.max(0, Math.floor(isBelow ? below : above))}px`;
    const x = event.clientX + kPointer.beside;
    const right = innerWidth - box.offsetWidth - kGap;
    box.style.left = `${Math.max(kGap, Math.min(x, right))}px`;
    box.style.top = `${isBelow ? bottom : Math.max(kGap, top - box.offsetHeight)}px`;
  }

  hide() {
    this.box.hidden = true;
  }
}

export const tip = new Tip();
