// Names that do not fit: they are cut in the middle because both ends distinguish names.

const kFewKept = 9; // letters; of fewer, the beginning says more than a piece of both ends
const kOfTheEnd = 0.4;

// `text`, or as much of it as fits; "" if not even a letter does. If `fits` holds for a text it holds for shorter ones.
export function cutMiddle(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) {
    return text;
  }
  const kept = (letters: number) => {
    const end = letters < kFewKept ? 0 : Math.floor(letters * kOfTheEnd);
    return `${text.slice(0, letters - end)}…${end ? text.slice(-end) : ""}`;
  };
  let low = 0;
  let high = text.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(kept(middle))) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low ? kept(low) : "";
}

const pen = document.createElement("canvas").getContext("2d")!;
const kRounding = 0.25; // px: the pen's measure may differ from the layout's
const kLayoutStep = 1 / 64; // px
const kWhole = "data-whole"; // the text of an element whose text is cut

// Cuts the texts of these elements to the elements' widths: again after their texts or widths changed. Each needs a tooltip, or lies in
// something that has one. Lays the page out once, however many there are.
export function fitNames(elements: HTMLElement[]) {
  const whole = elements.map((element) => element.getAttribute(kWhole) ?? element.textContent ?? "");
  elements.forEach((element, at) => {
    if (element.hasAttribute(kWhole)) {
      element.removeAttribute(kWhole);
      element.textContent = whole[at];
    }
  });
  const styles = elements.map((element) => getComputedStyle(element));
  const rooms = elements.map((element, at) => {
    const padding = parseFloat(styles[at].paddingLeft) + parseFloat(styles[at].paddingRight);
    return element.getBoundingClientRect().width - padding;
  });
  const fonts = styles.map((style) => style.font);
  const range = document.createRange();
  const isCut = elements.map((element, at) => {
    range.selectNodeContents(element);
    return rooms[at] > 0 && range.getBoundingClientRect().width > rooms[at] + kLayoutStep;
  });
  elements.forEach((element, at) => {
    if (isCut[at]) {
      pen.font = fonts[at];
      element.setAttribute(kWhole, whole[at]);
      element.textContent = cutMiddle(whole[at], (some) => pen.measureText(some).width <= rooms[at] - kRounding) || whole[at];
    }
  });
}

// Keeps the names in `holder` cut to their widths, also when those change. `selector`: of the elements that hold a name alone.
export class FittedNames {
  private width = -1;

  constructor(
    private holder: HTMLElement,
    private selector: string,
  ) {
    new ResizeObserver(() => {
      if (this.holder.clientWidth !== this.width) {
        this.fit();
      }
    }).observe(holder);
  }

  // After the names were made again.
  fit() {
    this.width = this.holder.clientWidth;
    if (this.width > 0) {
      fitNames([...this.holder.querySelectorAll<HTMLElement>(this.selector)]);
    }
  }
}
