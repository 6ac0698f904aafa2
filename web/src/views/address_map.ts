// The address map of a process over time: areas as bands by address, solid where the map was read, hatched between.
import { whyEmpty } from "../data/empty";
import { threadsOf } from "../data/lanerows";
import { Band, hasMap, kPageBytes, MapArea, mapData, MapProcess, openMap } from "../data/address_map";
import { drawAxis } from "../draw/axis";
import { h, replace, tip } from "../draw/dom";
import { Hatches } from "../draw/hatch";
import { css, kAreaKinds } from "../draw/palette";
import { rem, Surface } from "../draw/surface";
import { bytes, count, moment } from "../format";
import { View } from "../state";
import { drawBrush } from "./brush";
import { Changed, Context, ViewPart } from "./context";
import { takeTimeInput } from "./timeinput";

const kReadWidth = 3; // px: the least width of a reading
const kKindWords: Record<string, string> = {
  code: "code",
  file: "files",
  heap: "heap",
  stack: "stacks",
  anonymous: "anonymous",
  shared: "shared",
  kernel: "the kernel's",
};

interface Row {
  band: Band;
  top: number;
  height: number;
}

export class AddressMap implements ViewPart {
  readonly element = h("div", { class: "panel address-map" });
  private words = h("div", { class: "bar" });
  private why = h("p", { class: "hint" });
  private axis = h("div", { class: "axis" });
  private names = h("div", { class: "rows lanes", "aria-hidden": "true" });
  private picture = h("div", { class: "picture" });
  private scroll = h("div", { class: "scroll" });
  private surface: Surface;
  private axisSurface: Surface;
  private hatches = new Hatches();
  private shown: MapProcess | null = null;
  private rows: Row[] = [];
  private height = 0;

  constructor(private context: Context) {
    replace(this.scroll, this.names, this.picture);
    replace(this.element, this.words, this.why, this.axis, this.scroll);
    this.axisSurface = new Surface(this.axis, "when the address map was read", () => this.draw());
    this.surface = new Surface(this.picture, "the address map over time", () => this.draw(), this.scroll);
    takeTimeInput(this.picture, {
      store: context.store,
      left: () => 0,
      width: () => this.surface.width,
      hover: (event, time) => this.hover(event, time),
      leave: () => tip.hide(),
    });
  }

  update(view: View, _changed: Changed) {
    const { store, model } = this.context;
    const why = whyEmpty(model, "address_map");
    const data = mapData();
    if (!data && hasMap()) {
      openMap().then(() => store.redraw());
    }
    this.why.textContent = why ?? "Reading the data …";
    this.why.hidden = data !== null;
    this.words.hidden = this.axis.hidden = this.scroll.hidden = !data;
    if (!data) {
      return;
    }
    const process = this.choose(data, view);
    if (process !== this.shown) {
      this.shown = process;
      this.arrange(process);
      this.tell(data, process);
      this.list(process);
    }
    this.draw();
  }

  // The process of the first chosen thread; else the largest.
  private choose(data: MapProcess[], view: View): MapProcess {
    const chosen = view.threads ? this.context.model.threads[view.threads[0]].process : null;
    const own = data.filter(({ process }) => chosen !== null && process === chosen);
    const among = own.length ? own : data;
    return among.includes(this.shown!) ? this.shown! : among.reduce((a, b) => (b.most > a.most ? b : a));
  }

  private arrange(process: MapProcess) {
    let top = 0;
    this.rows = process.bands.map((band) => {
      const height = Math.round(Math.max(rem() * 1.05, rem() * 0.18 * (1 + Math.log2(1 + band.pages)))) + 1;
      const row = { band, top, height };
      top += height;
      return row;
    });
    this.height = Math.max(top, 1);
  }

  private title({ pid, process }: MapProcess): string {
    const name = process === null ? "" : this.context.model.processes[process]?.name;
    return name ? `${name} ${pid}` : `process ${pid}`;
  }

  private tell(data: MapProcess[], process: MapProcess) {
    const { model, store } = this.context;
    const { readings, passedOver, lost, all, areas, ended } = process;
    const list = h("select", {
      "aria-label": "address map of which process",
      change: () => {
        this.shown = data[list.selectedIndex];
        const threads = this.shown.process === null ? [] : threadsOf(model, this.shown.process);
        this.arrange(this.shown);
        this.tell(data, this.shown);
        this.list(this.shown);
        store.set({ threads: threads.length && model.processes.length > 1 ? threads : null });
        store.redraw();
      },
    });
    data.forEach((one) => list.append(h("option", { selected: one === process }, this.title(one))));
    const times = `read ${readings.length === 1 ? "once" : `${count(readings.length)} times`}`;
    const facts = [
      `at most ${bytes(process.most)} in ${count(process.bands.length)} band${process.bands.length === 1 ? "" : "s"}`,
      times + (passedOver ? `, ${count(passedOver)} moments passed over` : ""),
      lost ? `${count(lost)} areas had no room` : "",
      all > areas.length ? `the largest ${count(areas.length)} of ${count(all)}` : "",
      ended ? "" : "its end was not recorded",
    ].filter(Boolean);
    const kinds = new Set(areas.map(({ kind }) => kind));
    const palette = this.context.palette();
    replace(
      this.words,
      data.length > 1 ? h("label", {}, "of ", list) : null,
      h("span", { class: "facts" }, facts.join(" · ")),
      h(
        "div",
        { class: "legend" },
        ...kAreaKinds
          .filter((kind) => kinds.has(kind))
          .map((kind) => h("span", {}, h("i", { style: `background:${css(palette.areas[kind])}` }), kKindWords[kind])),
      ),
      h("span", { class: "spring" }),
      h(
        "span",
        {
          class: "hint",
          title:
            "Solid: at this moment the map was read (▾). Hatched in its colour: it was alike at the readings before and after, " +
            "what was between is not known. Hatched grey: it came, went or changed in between. Height: the logarithm of the size, at least a line. " +
            "Addresses rise upwards; those that nothing used are left out.",
        },
        "solid: read ▾; hatched: not known. Height: logarithm of the size; holes left out",
      ),
    );
    this.surface.canvas.setAttribute("aria-label", `the address map over time of ${this.title(process)}: ${facts.join(", ")}`);
  }

  private list({ readings }: MapProcess) {
    replace(
      this.names,
      ...this.rows.map(({ band, height }) => {
        const area = longest(band, readings.length);
        const row = h("div", { class: "row", title: area.path || area.name });
        row.style.height = `${height}px`;
        row.append(h("span", { class: "name" }, area.name), h("span", { class: "share" }, bytes(band.pages * kPageBytes)));
        return row;
      }),
    );
  }

  private at(time: number): number {
    const { from, to } = this.context.store.view;
    return ((time - from) / (to - from)) * this.surface.width;
  }

  private draw() {
    const process = this.shown;
    if (!process || this.scroll.hidden) {
      return;
    }
    const palette = this.context.palette();
    const { view } = this.context.store;
    const { surface } = this;
    surface.begin(css(palette.ground), this.height);
    const { pen } = surface;
    for (const row of this.rows) {
      if (row.top + row.height < surface.top || row.top > surface.bottom) {
        continue;
      }
      for (const area of row.band.areas) {
        this.drawArea(process, row, area);
      }
    }
    pen.fillStyle = palette.grid;
    this.rows.forEach(({ top, height }) => pen.fillRect(0, top + height - 1, surface.width, 1));
    drawBrush(surface, palette, view);
    this.drawReadings(process);
  }

  private drawReadings({ readings }: MapProcess) {
    const palette = this.context.palette();
    const { from, to } = this.context.store.view;
    const { axisSurface } = this;
    axisSurface.begin(css(palette.ground));
    const left = axisSurface.width - this.surface.width;
    drawAxis(axisSurface, palette, from, to, left, 0, axisSurface.height);
    const { pen, height } = axisSurface;
    pen.fillStyle = palette.ink;
    for (const time of readings) {
      const x = left + this.at(time);
      if (x >= left && x <= axisSurface.width) {
        pen.beginPath();
        pen.moveTo(x - 4, height - 6);
        pen.lineTo(x + 4, height - 6);
        pen.lineTo(x, height);
        pen.fill();
      }
    }
  }

  // The rectangle of an area in its row: low addresses below.
  private box({ band, top, height }: Row, area: MapArea): [top: number, height: number] {
    const tall = Math.max(1, ((height - 1) * area.pages) / band.pages);
    const below = ((height - 1) * (area.page - band.page)) / band.pages;
    return [Math.max(top, top + height - 1 - below - tall), tall];
  }

  private drawArea({ readings, ended }: MapProcess, row: Row, area: MapArea) {
    const { pen, width } = this.surface;
    const palette = this.context.palette();
    const colour = palette.areas[area.kind];
    const [top, height] = this.box(row, area);
    const last = readings.length - 1;
    const fill = (style: string | CanvasPattern, begin: number, end: number) => {
      const left = Math.max(0, begin);
      const right = Math.min(width, end);
      if (right > left) {
        pen.fillStyle = style;
        pen.fillRect(left, top, right - left, height);
      }
    };
    // Not known: before it was seen first, and after it was seen last.
    const unknown = this.hatches.of(pen, palette.structure, palette.ground);
    fill(unknown, area.from ? this.at(readings[area.from - 1]) : 0, this.at(readings[area.from]));
    if (area.to <= last || !ended) {
      fill(unknown, this.at(readings[area.to - 1]), area.to <= last ? this.at(readings[area.to]) : width);
    }
    fill(this.hatches.of(pen, colour, palette.ground), this.at(readings[area.from]), this.at(readings[area.to - 1]));
    for (let i = area.from; i < area.to; ) {
      const begin = this.at(readings[i]);
      let end = begin;
      for (; i < area.to && this.at(readings[i]) - end <= kReadWidth; i++) {
        end = this.at(readings[i]);
      }
      if (begin > width) {
        break;
      }
      fill(css(colour), begin - kReadWidth / 2, end + kReadWidth / 2);
    }
  }

  private hover(event: MouseEvent, time: number) {
    const process = this.shown;
    const y = event.clientY - this.picture.getBoundingClientRect().top;
    const row = this.rows.find(({ top, height }) => top <= y && y < top + height);
    if (!process || !row) {
      tip.hide();
      return;
    }
    const { readings } = process;
    const { from, to } = this.context.store.view;
    const near = (kReadWidth / 2) * ((to - from) / this.surface.width);
    const step = (to - from) / Math.max(this.surface.width, 1);
    const when = (reading: number) => moment(readings[reading], step);
    // The reading at or before the pointer.
    const after = readings.findIndex((reading) => reading > time + near);
    const before = (after < 0 ? readings.length : after) - 1;
    const isRead = before >= 0 && time - readings[before] <= near;
    const next = isRead ? before : after < 0 ? readings.length - 1 : after;
    const around = row.band.areas.filter((area) => area.from <= next && area.to > before);
    if (!around.length) {
      tip.hide();
      return;
    }
    const nearest = this.nearest(row, around, y);
    const lines = [
      `${kKindWords[nearest.kind]}, ${bytes(nearest.pages * kPageBytes)}, ${nearest.access}`,
      `${(nearest.page * kPageBytes).toString(16)} to ${((nearest.page + nearest.pages) * kPageBytes).toString(16)}`,
      nearest.from === nearest.to - 1
        ? `so at the reading at ${when(nearest.from)}`
        : `so at ${count(nearest.to - nearest.from)} readings from ${when(nearest.from)} to ${when(nearest.to - 1)}`,
      nearest.to < readings.length ? `changed or gone at ${when(nearest.to)}` : "",
      isRead
        ? `at ${moment(time, step)}: read`
        : before < 0
          ? `at ${moment(time, step)}: not known, first read at ${when(0)}`
          : after < 0
            ? `at ${moment(time, step)}: not known, last read at ${when(before)}`
            : `at ${moment(time, step)}: not known between the readings at ${when(before)} and ${when(after)}`,
    ];
    tip.besideRow(
      event,
      this.picture.getBoundingClientRect().top + row.top,
      row.height,
      h("b", {}, nearest.path.startsWith("/") ? nearest.path : nearest.name),
      ...lines.filter(Boolean).map((line) => h("div", {}, line)),
    );
  }

  private nearest(row: Row, areas: MapArea[], y: number): MapArea {
    const distance = (area: MapArea) => {
      const [top, height] = this.box(row, area);
      return y < top ? top - y : Math.max(0, y - top - height);
    };
    return areas.reduce((a, b) => (distance(b) < distance(a) ? b : a));
  }
}

// The area that names a band: the one present at most readings, of those the largest.
function longest(band: Band, readings: number): MapArea {
  const weight = (area: MapArea) => (area.to - area.from) / readings + area.pages / band.pages;
  return band.areas.reduce((a, b) => (weight(b) > weight(a) ? b : a));
}
