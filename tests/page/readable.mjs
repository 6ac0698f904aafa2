// Whether every text of the page can be read: none is cut without its whole words in a tooltip, none lies over another, and each has a
// contrast of at least 4.5 : 1 (WCAG 2.1, success criterion 1.4.3). Texts of elements are measured in the document; texts of canvases as
// they are drawn. A part of test_page.mjs.

// Runs in the page before its own code: keeps what canvases write, until they are cleared.
export const kWatchCanvases = `(() => {
  const texts = new WeakMap();
  const pens = CanvasRenderingContext2D.prototype;
  const { fillText, fillRect } = pens;
  const placed = (pen, x, y) => {
    const { a, d, e, f } = pen.getTransform();
    return [a * x + e, d * y + f];
  };
  pens.fillRect = function (x, y, width, height) {
    const [left, top] = placed(this, x, y);
    const [right, bottom] = placed(this, x + width, y + height);
    const covers = (text) => text.left >= left - 1 && text.right <= right + 1 && text.top >= top - 1 && text.bottom <= bottom + 1;
    if (typeof this.fillStyle === "string" && /^#/.test(this.fillStyle) && this.globalAlpha === 1) {
      texts.set(this.canvas, (texts.get(this.canvas) ?? []).filter((text) => !covers(text)));
    }
    return fillRect.call(this, x, y, width, height);
  };
  pens.fillText = function (words, x, y) {
    const size = this.measureText(words);
    const [left, top] = placed(this, x - size.actualBoundingBoxLeft, y - size.actualBoundingBoxAscent);
    const [right, bottom] = placed(this, x + size.actualBoundingBoxRight, y + size.actualBoundingBoxDescent);
    const { width, height } = this.canvas;
    const [x0, y0] = [Math.max(0, Math.floor(left)), Math.max(0, Math.floor(top))];
    const [x1, y1] = [Math.min(width, Math.ceil(right)), Math.min(height, Math.ceil(bottom))];
    if (String(words).trim() && x1 > x0 && y1 > y0) {
      const ground = this.getImageData(x0, y0, x1 - x0, y1 - y0).data;
      texts.set(this.canvas, [...(texts.get(this.canvas) ?? []), { words: String(words), left, top, right, bottom, ink: this.fillStyle, ground }]);
    }
    return fillText.call(this, words, x, y);
  };
  for (const side of ["width", "height"]) {
    const { get, set } = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, side);
    Object.defineProperty(HTMLCanvasElement.prototype, side, { get, set(value) { texts.delete(this); set.call(this, value); } });
  }
  window.writtenOn = (canvas) => texts.get(canvas) ?? [];
})()`;

// What cannot be read, in words. \`least\`: of contrast.
export const kUnreadable = `((least) => {
  const bad = [];
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
  const colour = (text) => { const parts = (text.match(/[\\d.]+/g) ?? []).map(Number); return parts.length < 4 ? [...parts, 1] : parts; };
  const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3]));
  const hex = (text) => (text.startsWith("#") ? [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) : colour(text).slice(0, 3));
  const whereIs = (element) => { const names = []; for (let at = element; at && at.id !== "app" && names.length < 3; at = at.parentElement) names.unshift(at.className ? "." + String(at.className).trim().split(/\\s+/).join(".") : at.tagName.toLowerCase()); return names.join(" "); };
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const one = colour(getComputedStyle(at).backgroundColor);
      layers.push(one);
      if (one[3] === 1) break;
    }
    return layers.reverse().reduce((below, one) => over(one, below), [255, 255, 255]);
  };
  // What is scrolled up and down may begin or end with half a line.
  const isScroller = (element) => /auto|scroll/.test(getComputedStyle(element).overflowY);
  // The tooltip over it has at least an end of its words.
  const titled = (element) => {
    const words = (element.dataset.whole ?? element.textContent).trim();
    for (let at = element; at; at = at.parentElement) if (at.title) return [words.slice(0, 6), words.slice(-6)].some((end) => at.title.includes(end));
    return false;
  };
  const shown = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) || element.closest("option, noscript, script, style")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const words = node.data.trim().slice(0, 60);
    const style = getComputedStyle(element);
    let boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1).map(({ left, top, right, bottom }) => ({ left, top, right, bottom }));
    // What is scrolled away is not seen; what is hidden for want of room is cut.
    let cut = "";
    for (let at = element; at && at !== document.body && boxes.length; at = at.parentElement) {
      const how = getComputedStyle(at);
      if (how.position === "fixed") break;
      if (how.overflowX === "visible" && how.overflowY === "visible") continue;
      const room = at.getBoundingClientRect();
      const begun = boxes.filter((box) => box.left < room.right - 1 && box.top < room.bottom - 1 && box.bottom > room.top + 1);
      const isWide = how.overflowX === "hidden" && begun.some((box) => box.right > room.right + 1);
      const isTall = how.overflowY === "hidden" && begun.some((box) => box.bottom > room.bottom + 2 || box.top < room.top - 2);
      const isLess = how.webkitLineClamp !== "none" && begun.length < boxes.length;
      const hasEllipsis = how.textOverflow === "ellipsis" || how.webkitLineClamp !== "none";
      if ((isWide || isTall || isLess) && !(hasEllipsis && titled(element)) && !isScroller(at)) cut = isWide ? "right" : "foot";
      boxes = begun.map((box) => ({ left: Math.max(box.left, room.left), top: Math.max(box.top, room.top), right: Math.min(box.right, room.right), bottom: Math.min(box.bottom, room.bottom) }));
    }
    const parts = boxes.filter((box) => box.right - box.left > 2 && box.bottom - box.top > 2 && box.left < innerWidth && box.top < innerHeight);
    if (!parts.length) continue;
    if (cut) bad.push("cut at the " + cut + ": " + words + " in " + whereIs(element));
    const ratio = contrast(over(colour(style.color), ground(element)), ground(element));
    if (ratio < least) bad.push("contrast " + ratio.toFixed(2) + ": " + words + " in " + whereIs(element));
    if (parseFloat(style.fontSize) < 10.99) bad.push("only " + style.fontSize + " tall: " + words + " in " + whereIs(element));
    for (const part of parts) shown.push({ ...part, words, element });
  }
  for (const list of document.querySelectorAll("select")) {
    if (!list.checkVisibility()) continue;
    const pen = document.createElement("canvas").getContext("2d");
    const style = getComputedStyle(list);
    pen.font = style.font;
    const words = list.selectedOptions[0]?.textContent ?? "";
    const room = list.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16;
    if (pen.measureText(words).width > room + 1 && !titled(list)) bad.push("cut in a list: " + words);
  }
  for (const input of document.querySelectorAll("input[placeholder]")) {
    if (!input.checkVisibility()) continue;
    const ratio = contrast(over(colour(getComputedStyle(input, "::placeholder").color), ground(input)), ground(input));
    if (ratio < least) bad.push("contrast " + ratio.toFixed(2) + ": " + input.placeholder);
  }
  const crosses = (a, b, by) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > by && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > by + 2;
  shown.sort((a, b) => a.top - b.top);
  shown.forEach((one, at) => {
    for (let next = at + 1; next < shown.length && shown[next].top < one.bottom; next++) {
      const other = shown[next];
      // What sticks to the top of what scrolls covers it, and is meant to.
      const sticks = (text) => { for (let up = text.element; up; up = up.parentElement) if (/sticky|fixed/.test(getComputedStyle(up).position)) return true; return false; };
      if (one.element !== other.element && crosses(one, other, 0.5) && !sticks(one) && !sticks(other)) {
        bad.push("over one another: " + one.words + " and " + other.words + " in " + whereIs(one.element));
      }
    }
  });
  // Neighbours in a line need a gap, or their words run together.
  shown.forEach((one, at) => {
    for (let next = at + 1; next < shown.length && shown[next].top < one.bottom; next++) {
      const other = shown[next];
      const gap = Math.max(one.left, other.left) - Math.min(one.right, other.right);
      if (one.element !== other.element && !one.element.contains(other.element) && !other.element.contains(one.element) && one.element.parentElement !== other.element.parentElement && gap > -0.5 && gap < 2.5 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 6) {
        bad.push("no gap (" + gap.toFixed(1) + " px): " + one.words + " and " + other.words + " in " + whereIs(one.element));
      }
    }
  });
  for (const canvas of document.querySelectorAll("canvas")) {
    if (!canvas.checkVisibility()) continue;
    const what = (canvas.getAttribute("aria-label") ?? "a picture").slice(0, 30);
    const texts = window.writtenOn(canvas);
    texts.forEach((one, at) => {
      if (one.left < -1 || one.top < -1 || one.right > canvas.width + 1) bad.push("cut by the edge: " + one.words + " in " + what);
      // The ground that most of the letters lie on: nine tenths must have the contrast.
      const ink = hex(one.ink);
      let low = 0;
      for (let i = 0; i < one.ground.length; i += 4) low += contrast(ink, [one.ground[i], one.ground[i + 1], one.ground[i + 2]]) < least ? 1 : 0;
      const share = low / (one.ground.length / 4);
      if (share > 0.1) bad.push("contrast below " + least + " at " + Math.round(share * 100) + " %: " + one.words + " in " + what + " " + one.ink + " on " + one.ground.slice(0, 3).join());
      for (const other of texts.slice(at + 1)) if (crosses(one, other, 0)) bad.push("over one another: " + one.words + " and " + other.words + " in " + what);
    });
  }
  return [...new Set(bad)];
})`;

const kContrast = 4.5;
const kRecordings = ["mpi", "server", "interpreter-lock.bad", "build", "openmp", "story"];
const kSizes = [[1280, 800], [1920, 1080], [3840, 1600]];
const kThemes = ["dark", "light"];

// A page that breaks each rule once, so that a check that finds nothing is known to look.
const kBroken = `<!doctype html><body style="background:#fff;color:#000;font:14px sans-serif"><div id="app">
<p style="width:60px;overflow:hidden;white-space:nowrap">longer than its room</p>
<p style="position:absolute;left:200px;top:100px">one word</p><p style="position:absolute;left:210px;top:102px">over another</p>
<p style="color:#999">too faint</p><p style="font-size:8px">too small</p>
<p style="width:60px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis" title="cut, and whole here">cut, and whole here</p>
<canvas width="100" height="40" style="position:absolute;left:400px;top:0"></canvas></div>
<script>const pen = document.querySelector("canvas").getContext("2d"); pen.fillStyle = "#ffffff"; pen.fillRect(0, 0, 100, 40); pen.fillStyle = "#000000";
pen.fillText("beyond the edge", 60, 20); pen.fillText("twice", 5, 12); pen.fillText("there", 28, 14); pen.fillStyle = "#cccccc"; pen.fillText("faint", 5, 35);
performance.mark("kymo-first-picture");</script>`;

const kBreaks = [/^cut at the right: longer/, /^over one another: one word and over another/, /^contrast 2\.\d\d: too faint/, /^only 8px tall: too small/, /^cut by the edge: beyond/, /^over one another: twice and there/, /^contrast below 4.5 at 100 %: faint/];

// Every tab in every size and theme, of recordings in turn: a recording that has nothing for a tab says so there.
export async function readable(browser, { check, work, stored, tabs, writeFile }) {
  await browser.client.Page.addScriptToEvaluateOnNewDocument({ source: kWatchCanvases });
  const broken = `${work}/broken.html`;
  writeFile(broken, kBroken);
  await browser.open(broken);
  const seen = await browser.evaluate(`${kUnreadable}(${kContrast})`);
  kBreaks.forEach((rule) => check(`found in a page that is wrong: ${rule.source}`, seen.some((words) => rule.test(words)), seen.join("; ")));
  check("and nothing else", seen.length === kBreaks.length, seen.join("; "));

  const looks = tabs.flatMap((tab) => kSizes.flatMap((size) => kThemes.map((theme) => ({ tab, size, theme }))));
  for (const [at, name] of kRecordings.entries()) {
    await browser.open(stored(name));
    const has = await browser.evaluate("[...document.querySelectorAll('[role=tab]')].filter((tab) => !tab.hidden).map((tab) => tab.id.slice(4))");
    check(`${name} has views below`, has.length > 5, has.join());
    for (const { tab, size, theme } of looks.filter((_, index) => index % kRecordings.length === at)) {
      await browser.size(...size);
      await browser.evaluate(`kymo.store.set({ tab: "${tab}", theme: "${theme}" })`);
      await browser.settle();
      const bad = await browser.evaluate(`${kUnreadable}(${kContrast})`);
      check(`${name}, ${tab}, ${size.join(" × ")}, ${theme}: all can be read`, bad.length === 0, bad.slice(0, 5).join("; "));
    }
  }
}
