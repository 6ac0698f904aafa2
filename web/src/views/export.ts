// The page as displayed, as a picture: the screen is read as boxes, texts and canvases, and drawn again as PNG
// or written as SVG. Only the saved file leaves the page.
import { h } from "../draw/dom";

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

type Item =
  | { kind: "box"; area: Area; colour: string }
  | { kind: "canvas"; area: Area; canvas: HTMLCanvasElement }
  | { kind: "text"; area: Area; text: string; x: number; base: number; font: string; colour: string };

function overlap(a: Area, b: Area): Area {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  return { x, y, width: Math.min(a.x + a.width, b.x + b.width) - x, height: Math.min(a.y + a.height, b.y + b.height) - y };
}

function isSeen(area: Area): boolean {
  return area.width > 0 && area.height > 0;
}

// Word by word: lines are broken where the browser broke them.
function readText(node: Text, style: CSSStyleDeclaration, clip: Area, items: Item[]) {
  const range = document.createRange();
  const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  for (const word of node.data.matchAll(/\S+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const box = range.getBoundingClientRect();
    const area = overlap(clip, box);
    if (isSeen(area)) {
      const text = style.textTransform === "uppercase" ? word[0].toUpperCase() : word[0];
      items.push({ kind: "text", area, text, x: box.x, base: box.y + box.height * 0.78, font, colour: style.color });
    }
  }
}

function read(element: Element, clip: Area, items: Item[]) {
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  if (style.visibility === "hidden" || style.display === "none") {
    return;
  }
  const area = overlap(clip, box);
  if (isSeen(area) && !/^rgba\(.*, 0\)$|transparent/.test(style.backgroundColor)) {
    items.push({ kind: "box", area, colour: style.backgroundColor });
  }
  if (element instanceof HTMLCanvasElement) {
    if (isSeen(area)) {
      items.push({ kind: "canvas", area: box, canvas: element });
    }
    return;
  }
  const inner = style.overflowX === "visible" && style.overflowY === "visible" ? clip : area;
  if (!isSeen(inner)) {
    return;
  }
  if (element instanceof HTMLInputElement || element instanceof HTMLSelectElement) {
    const text = element instanceof HTMLSelectElement ? (element.selectedOptions[0]?.textContent ?? "") : element.value;
    const font = `${style.fontSize} ${style.fontFamily}`;
    items.push({ kind: "text", area, text, x: box.x + 8, base: box.y + box.height * 0.72, font, colour: style.color });
    return;
  }
  for (const child of element.childNodes) {
    if (child instanceof Text) {
      readText(child, style, inner, items);
    } else if (child instanceof Element && !(child instanceof HTMLScriptElement)) {
      read(child, inner, items);
    }
  }
}

function readPage(): Item[] {
  const items: Item[] = [];
  read(document.body, { x: 0, y: 0, width: innerWidth, height: innerHeight }, items);
  return items;
}

export async function pagePng(): Promise<Blob> {
  const canvas = document.createElement("canvas");
  const scale = Math.min(devicePixelRatio || 1, 2);
  canvas.width = innerWidth * scale;
  canvas.height = innerHeight * scale;
  const pen = canvas.getContext("2d")!;
  pen.scale(scale, scale);
  for (const item of readPage()) {
    const { x, y, width, height } = item.area;
    if (item.kind === "box") {
      pen.fillStyle = item.colour;
      pen.fillRect(x, y, width, height);
    } else if (item.kind === "canvas") {
      pen.drawImage(item.canvas, x, y, width, height);
    } else {
      pen.save();
      pen.beginPath();
      pen.rect(x, y, width, height);
      pen.clip();
      pen.font = item.font;
      pen.fillStyle = item.colour;
      pen.fillText(item.text, item.x, item.base);
      pen.restore();
    }
  }
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the browser makes no PNG")))),
  );
}

export function pageSvg(): Blob {
  const svg = document.implementation.createDocument("http://www.w3.org/2000/svg", "svg", null);
  const root = svg.documentElement;
  const add = (name: string, attributes: Record<string, string | number>, to: Element = root): Element => {
    const element = svg.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, String(value)));
    to.append(element);
    return element;
  };
  root.setAttribute("viewBox", `0 0 ${innerWidth} ${innerHeight}`);
  root.setAttribute("width", String(innerWidth));
  root.setAttribute("height", String(innerHeight));
  for (const item of readPage()) {
    const { x, y, width, height } = item.area;
    if (item.kind === "box") {
      add("rect", { x, y, width, height, fill: item.colour });
    } else if (item.kind === "canvas") {
      add("image", { x, y, width, height, href: item.canvas.toDataURL(), preserveAspectRatio: "none" });
    } else {
      // An inner svg cuts contents as the screen does.
      const holder = add("svg", { x, y, width, height });
      const text = add("text", { x: item.x - x, y: item.base - y, fill: item.colour, style: `font: ${item.font}` }, holder);
      text.textContent = item.text;
    }
  }
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
}

export function save(blob: Blob, ending: string) {
  const name = document.title.replace(/ – Kymo$/, "").replace(/[^\w.-]+/g, "_") || "kymo";
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: `${name}.${ending}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

export function showExport() {
  const dialog = h("dialog", { class: "export" });
  // The dialog is closed before the page is read.
  const way = (words: string, act: () => unknown) =>
    h("button", { click: () => (dialog.close(), dialog.remove(), act()) }, words);
  dialog.append(
    h("h2", {}, "This view as a file"),
    h(
      "p",
      {},
      way("PNG picture", async () => save(await pagePng(), "png")),
      " ",
      way("SVG picture", () => save(pageSvg(), "svg")),
      " ",
      way("Print", () => print()),
    ),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
