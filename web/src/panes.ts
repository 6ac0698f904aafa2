// Panes beside or above each other, with separators between them that the pointer drags and keys move. Sizes are remembered
// by the browser, for all pages, as shares of the room; they are not part of the address.
import { h } from "./draw/dom";
import { rem } from "./draw/surface";

export interface Pane {
  name: string;
  title: string;
  element: HTMLElement;
  bar?: HTMLElement; // above it: stays when the pane is folded, has the button that enlarges the pane
}

interface Kept {
  shares: Record<string, number>; // empty: as in the style
  folded: string[];
}

const kStored = "kymo-panes";
const kLeast = 3; // rem
const kStep = 1; // rem, of an arrow key
const kGrows = 1000; // shares that add up to less than 1 would leave room empty

// Pages opened as files may have no storage.
function remembered(): Record<string, Kept> {
  try {
    return JSON.parse(localStorage.getItem(kStored) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

function remember(group: string, kept: Kept) {
  try {
    localStorage.setItem(kStored, JSON.stringify({ ...remembered(), [group]: kept }));
  } catch {
    // Then sizes are kept as long as the page.
  }
}

export class Panes {
  private separators: HTMLElement[];
  private kept: Kept = { shares: {}, folded: [] };
  private dragged: { at: number; shares: number[] } | null = null;

  // The separator behind pane i folds the pane `folds[i]`. `vertical`: panes lie above each other.
  constructor(
    private group: string,
    private vertical: boolean,
    private panes: Pane[],
    private folds: string[],
  ) {
    this.separators = folds.map((name, index) => this.separator(index, this.pane(name)));
    const { shares, folded } = remembered()[group] ?? {};
    if (shares && panes.every(({ name }) => shares[name] > 0 && shares[name] <= 1)) {
      this.kept = { shares, folded: folds.filter((name) => Array.isArray(folded) && folded.includes(name)) };
      this.show();
    }
    requestAnimationFrame(() => this.tell());
  }

  // Bars, panes and separators in their order.
  elements(): HTMLElement[] {
    return this.panes.flatMap(({ element, bar }, index) =>
      [bar, element, this.separators[index]].filter((one): one is HTMLElement => one !== undefined),
    );
  }

  // One pane alone, and back. `others`: hidden to make room beside these panes.
  enlarge(name: string, ...others: HTMLElement[]) {
    const alone = this.pane(name);
    const isBack = alone.element.classList.contains("enlarged");
    for (const element of [...this.elements(), ...others]) {
      element.classList.toggle("behind", !isBack && element !== alone.element && element !== alone.bar);
    }
    alone.element.classList.toggle("enlarged", !isBack);
  }

  private pane(name: string): Pane {
    return this.panes.find((pane) => pane.name === name)!;
  }

  private separator(index: number, folds: Pane): HTMLElement {
    folds.element.id ||= `pane-${folds.name}`;
    const element = h("div", {
      class: `separator${this.vertical ? "" : " upright"}`,
      role: "separator",
      tabindex: 0,
      "aria-orientation": this.vertical ? "horizontal" : "vertical",
      "aria-label": `size of ${folds.title}`,
      "aria-controls": folds.element.id,
      "aria-valuemin": 0,
      "aria-valuemax": 100,
      title: `drag, or arrow keys: sizes; double click, or Enter: fold ${folds.title}; Delete: all as at first`,
      dblclick: () => this.fold(folds.name),
      keydown: (event: KeyboardEvent) => this.key(event, index, folds.name),
      focus: () => this.tell(),
      pointerdown: (event: PointerEvent) => {
        this.dragged = { at: this.along(event), shares: this.measured() };
        element.setPointerCapture(event.pointerId);
      },
      pointermove: (event: PointerEvent) => {
        if (this.dragged && this.along(event) !== this.dragged.at) {
          this.move(index, this.along(event) - this.dragged.at, this.dragged.shares);
        }
      },
      pointerup: () => this.drop(),
      pointercancel: () => this.drop(),
    });
    return element;
  }

  private along(event: PointerEvent): number {
    return this.vertical ? event.clientY : event.clientX;
  }

  private drop() {
    this.dragged = null;
    if (Object.keys(this.kept.shares).length) {
      remember(this.group, this.kept);
    }
  }

  private key(event: KeyboardEvent, index: number, folds: string) {
    const step = kStep * rem() * (event.shiftKey ? 5 : 1);
    const [less, more] = this.vertical ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const by = { [less]: -step, [more]: step, Home: -Infinity, End: Infinity }[event.key];
    if (by !== undefined) {
      this.move(index, by, this.measured());
      this.drop();
    } else if (event.key === "Enter") {
      this.fold(folds);
    } else if (event.key === "Delete") {
      this.reset();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // Its part of the divided room: without padding and border, in pixels.
  private size({ element }: Pane): number {
    const style = getComputedStyle(element);
    const edges = this.vertical
      ? [style.paddingTop, style.paddingBottom, style.borderTopWidth, style.borderBottomWidth]
      : [style.paddingLeft, style.paddingRight, style.borderLeftWidth, style.borderRightWidth];
    const { width, height } = element.getBoundingClientRect();
    return edges.reduce((left, edge) => left - parseFloat(edge), this.vertical ? height : width);
  }

  private shows({ element }: Pane): boolean {
    return element.offsetParent !== null;
  }

  private room(): number {
    return this.panes.reduce((sum, pane) => sum + Math.max(0, this.size(pane)), 0) || 1;
  }

  // Shares of the room; hidden panes keep their share.
  private measured(): number[] {
    const room = this.room();
    return this.panes.map((pane) =>
      this.shows(pane) ? this.size(pane) / room : (this.kept.shares[pane.name] ?? 1 / this.panes.length),
    );
  }

  // The visible panes on both sides of a separator change by pixels, the others keep their size.
  private move(index: number, by: number, from: number[]) {
    let before = index;
    let after = index + 1;
    while (before >= 0 && !this.shows(this.panes[before])) {
      before--;
    }
    while (after < this.panes.length && !this.shows(this.panes[after])) {
      after++;
    }
    if (before < 0 || after >= this.panes.length) {
      return;
    }
    const room = this.room();
    const least = (kLeast * rem()) / room;
    const change = Math.max(Math.min(by / room, from[after] - least), least - from[before]);
    const next = from.slice();
    next[before] += change;
    next[after] -= change;
    this.take(next);
  }

  private take(shares: number[]) {
    this.kept.shares = Object.fromEntries(this.panes.map(({ name }, at) => [name, Math.max(shares[at], 1e-4)]));
    this.show();
  }

  private fold(name: string) {
    this.take(this.measured());
    const { folded } = this.kept;
    this.kept.folded = folded.includes(name) ? folded.filter((one) => one !== name) : [...folded, name];
    this.show();
    this.drop();
  }

  private reset() {
    this.kept = { shares: {}, folded: [] };
    remember(this.group, this.kept);
    this.show();
  }

  private show() {
    for (const { name, element } of this.panes) {
      const share = this.kept.shares[name];
      element.classList.toggle("sized", share !== undefined);
      element.style.setProperty("--share-of-room", share === undefined ? "" : String(share * kGrows));
      element.classList.toggle("folded", this.kept.folded.includes(name));
    }
    this.tell();
  }

  // For screen readers.
  private tell() {
    const room = this.room();
    this.separators.forEach((separator, index) => {
      const share = Math.max(0, this.size(this.pane(this.folds[index]))) / room;
      separator.setAttribute("aria-valuenow", String(Math.round(share * 100)));
    });
  }
}
