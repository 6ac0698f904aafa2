// A canvas that follows its element's size and the screen's resolution. Inside an element that scrolls it is only as large as
// the visible part, however tall the picture: the holder has the picture's height, and drawing uses its coordinates.

import { cutMiddle } from "./cut";

const kLongest = 400; // letters that are worth measuring

export class Surface {
  readonly canvas: HTMLCanvasElement;
  readonly pen: CanvasRenderingContext2D;
  width = 0; // CSS pixels
  height = 0; // of the whole picture
  top = 0; // the visible part begins here
  bottom = 0;
  scale = 1;

  // `resized`: draw again, also when it was scrolled.
  constructor(
    readonly holder: HTMLElement,
    label: string,
    private resized: () => void,
    private scroller: HTMLElement | null = null,
  ) {
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
    holder.append(this.canvas);
    this.pen = this.canvas.getContext("2d", { alpha: false })!;
    const observer = new ResizeObserver(() => this.resized());
    observer.observe(holder);
    if (scroller) {
      this.canvas.classList.add("window");
      observer.observe(scroller);
      scroller.addEventListener("scroll", () => this.resized());
    }
  }

  // Takes the holder's width and this height, or the holder's. Clears with the ground colour.
  begin(ground: string, height?: number) {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    if (this.scroller && height !== undefined && this.holder.style.height !== `${height}px`) {
      this.holder.style.height = `${height}px`;
    }
    const width = this.holder.clientWidth;
    this.height = height ?? this.holder.clientHeight;
    const seen = this.scroller ? Math.min(this.scroller.clientHeight || this.height, this.height) : this.height;
    const before = this.bottom - this.top;
    this.top = this.scroller ? Math.max(0, Math.min(this.scroller.scrollTop, this.height - seen)) : 0;
    this.bottom = this.top + seen;
    if (width !== this.width || seen !== before || scale !== this.scale) {
      this.width = width;
      this.scale = scale;
      this.canvas.width = Math.max(1, Math.round(width * scale));
      this.canvas.height = Math.max(1, Math.round(seen * scale));
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${seen}px`;
    }
    this.pen.setTransform(scale, 0, 0, scale, 0, -Math.round(this.top * scale));
    this.pen.fillStyle = ground;
    this.pen.fillRect(0, this.top, width, seen);
  }
}

// Font of canvases, at the page's size.
export function font(share = 1, weight = ""): string {
  return `${weight} ${(rem() * share).toFixed(1)}px system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif`.trim();
}

let remPixels = 0;
export function rem(): number {
  return remPixels || (remPixels = parseFloat(getComputedStyle(document.documentElement).fontSize) || 14);
}
addEventListener("resize", () => (remPixels = 0));

// Text that is cut where it does not fit.
export function fitted(pen: CanvasRenderingContext2D, text: string, width: number): string {
  return width < 12 ? "" : cutMiddle(text, (some) => some.length < kLongest && pen.measureText(some).width <= width);
}
