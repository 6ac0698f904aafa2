// The whole run in a strip: how many threads were in which state; above it the part in view, to be dragged.
import { raster, kChannels } from "../data/sums";
import { Colour, css } from "../draw/palette";
import { StackImage } from "../draw/stack";
import { drawAxis } from "../draw/axis";
import { h } from "../draw/dom";
import { font, rem, Surface } from "../draw/surface";
import { View } from "../state";
import { anyOf, Changed, Context, ViewPart } from "./context";
import { gutter } from "./layout";
import { takeTimeInput } from "./timeinput";

// From the bottom up: computing at the bottom, waiting above it.
const kStack = [0, 2, 1, 3, 4, 5];

export class Overview implements ViewPart {
  readonly element = h("section", { class: "overview", "aria-label": "the whole run" });
  private surface: Surface;
  private image = new StackImage();
  private stacked = ""; // identifies the image's contents
  private cache: { key: string; values: Float32Array } | null = null;

  constructor(private context: Context) {
    this.surface = new Surface(this.element, "threads by state over the whole run", () => this.draw());
    takeTimeInput(this.element, {
      store: context.store,
      left: gutter,
      width: () => this.surface.width - gutter(),
      bounds: () => context.model.range,
      click: (_, time) => {
        const { from, to } = context.store.view;
        context.store.look(time - (to - from) / 2, time + (to - from) / 2);
      },
    });
  }

  update(_: View, changed: Changed) {
    if (anyOf(changed, "from", "to", "brush", "threads", "theme", "finding")) {
      this.draw();
    }
  }

  private times(columns: number): Float32Array {
    const { model } = this.context;
    const threads = this.context.threads();
    const key = `${columns} ${threads.length === model.threads.length ? "all" : threads.join()}`;
    if (this.cache?.key !== key) {
      const [from, to] = model.range;
      const level = model.levels.coarsest();
      const made = raster({ level, from, to, columns, rows: 1, threads, event: -1 }, null, () => 0);
      this.cache = { key, values: made.values.slice() };
    }
    return this.cache.values;
  }

  private draw() {
    const { model, store } = this.context;
    const { view } = store;
    const palette = this.context.palette();
    const { surface } = this;
    surface.begin(css(palette.ground));
    const { pen } = surface;
    const left = gutter();
    const width = Math.max(1, surface.width - left);
    const axis = rem() * 1.35;
    const [from, to] = model.range;
    drawAxis(surface, palette, from, to, left, 0, axis);
    const columns = Math.round(Math.min(width, 1200));
    const values = this.times(columns);
    const perColumn = (to - from) / columns;
    let most = 0;
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let channel = 0; channel < kChannels; channel++) {
        sum += values[column * kChannels + channel];
      }
      most = Math.max(most, sum / perColumn);
    }
    const height = Math.max(1, Math.round(surface.height - axis - 2));
    const each = height / Math.max(most, 1);
    this.stack(values, columns, perColumn, each, height);
    this.image.draw(pen, left, surface.height - 1 - height, width, height);
    const processors: number = model.run.processors;
    if (processors && processors < most) {
      const y = surface.height - 1 - processors * each;
      pen.strokeStyle = palette.faint;
      pen.setLineDash([4, 4]);
      pen.beginPath();
      pen.moveTo(left, y);
      pen.lineTo(surface.width, y);
      pen.stroke();
      pen.setLineDash([]);
    }
    this.label(left, axis, most, processors);
    const x = (time: number) => left + ((time - from) / (to - from)) * width;
    pen.fillStyle = css(palette.ground, 0.66);
    pen.fillRect(left, 0, x(view.from) - left, surface.height);
    pen.fillRect(x(view.to), 0, surface.width - x(view.to), surface.height);
    if (view.from > from || view.to < to) {
      pen.strokeStyle = palette.mark;
      pen.strokeRect(x(view.from) + 0.5, 0.5, Math.max(2, x(view.to) - x(view.from) - 1), surface.height - 1);
    }
    if (view.brush) {
      pen.fillStyle = css([255, 255, 255], palette.dark ? 0.16 : 0);
      pen.strokeStyle = palette.alarm;
      const [begin, end] = view.brush.map(x);
      pen.fillRect(begin, axis, Math.max(1, end - begin), height);
      pen.strokeRect(begin + 0.5, axis + 0.5, Math.max(1, end - begin), height);
    }
  }

  // Drawn once for a view: only the frame around it moves.
  private stack(values: Float32Array, columns: number, perColumn: number, each: number, height: number) {
    const palette = this.context.palette();
    const key = `${this.cache!.key} ${height} ${palette.dark}`;
    if (this.stacked === key) {
      return;
    }
    this.stacked = key;
    const { ground } = palette;
    const faint = palette.channels.map((colour) => colour.map((part, i) => ground[i] + (part - ground[i]) * 0.35) as Colour);
    this.image.begin(columns, height, ground);
    for (let column = 0; column < columns; column++) {
      let base = 0;
      for (const channel of kStack) {
        const tall = (values[column * kChannels + channel] / perColumn) * each;
        if (tall > 0) {
          const colour = channel >= 4 ? faint[channel] : palette.channels[channel];
          this.image.column(column, height, base, Math.min(base + tall, height), colour, ground);
          base += tall;
        }
      }
    }
  }

  private label(left: number, top: number, most: number, processors: number) {
    const { pen } = this.surface;
    const palette = this.context.palette();
    pen.font = font(0.82);
    pen.textAlign = "left";
    pen.textBaseline = "top";
    pen.fillStyle = palette.ink;
    pen.fillText("Whole run", rem() * 0.6, top * 0.2);
    pen.fillStyle = palette.faint;
    const known = Math.min(Math.round(most), this.context.model.threads.length); // bins are known to 1/255
    const threads = `${known} thread${known === 1 ? "" : "s"} at most`;
    pen.fillText(threads, rem() * 0.6, top * 0.2 + rem() * 1.2);
    if (processors && left > rem() * 8) {
      pen.fillText(`${processors} processor${processors === 1 ? "" : "s"}`, rem() * 0.6, top * 0.2 + rem() * 2.3);
    }
  }
}
