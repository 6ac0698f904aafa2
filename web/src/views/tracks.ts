// Metrics over time on the threads' clock, for the chosen threads: processors used, threads ready for one, and how often
// each counted event happened; and for all threads the metrics of the program, of descriptions, and of channels, and how
// much memory the largest processes had.
import { kChannels } from "../data/sums";
import { highestMemory, MemoryTrack } from "../data/memory";
import { Series } from "../data/model";
import { TrackSums, TrackTimes } from "../data/tracks";
import { css } from "../draw/palette";
import { StackImage } from "../draw/stack";
import { FittedNames } from "../draw/cut";
import { h, replace, tip } from "../draw/dom";
import { rem, Surface } from "../draw/surface";
import { bytes, compact, moment } from "../format";
import { View } from "../state";
import { Changed, Context, ViewPart } from "./context";
import { drawBrush } from "./brush";
import { takeTimeInput } from "./timeinput";

const enum Channel {
  User,
  System,
  Spinning,
  Ready,
}

interface Track {
  name: string;
  title: string;
  unit: string;
  parts: { fields: number[]; channel: number }[]; // stacked, from the bottom up; channel −1: an event's colour
  perSecond: boolean; // else: how many threads at once
  top: number; // the axis reaches at least this
  bound?: number; // no more can be: between two samples only the sum of a thread's time on processors is known
  series?: Series; // instead of parts
  bins?: number[]; // of it
  gaps?: [number, number][]; // not known then
  memory?: MemoryTrack; // instead of parts
}

export class Tracks implements ViewPart {
  readonly element: HTMLElement;
  private names = h("div", { class: "rows lanes tracks-names", "aria-hidden": "true" });
  private fitted = new FittedNames(this.names, ".name");
  private picture = h("div", { class: "picture" });
  private scroll = h("div", { class: "scroll" });
  private surface: Surface;
  private tracks: Track[];
  private sums = new TrackSums();
  private image = new StackImage();
  private times: TrackTimes | null = null;
  private most: number[] = [];

  constructor(private context: Context) {
    this.tracks = tracksOf(context);
    replace(this.scroll, this.names, this.picture);
    this.element = h("section", { class: "tracks", "aria-label": "metrics over time" }, this.scroll);
    this.surface = new Surface(this.picture, "metrics over time", () => this.draw(), this.scroll);
    takeTimeInput(this.picture, {
      store: context.store,
      left: () => 0,
      width: () => this.surface.width,
      hover: (event, time) => this.hover(event, time),
      leave: () => tip.hide(),
    });
  }

  update(view: View, _changed: Changed) {
    this.element.hidden = !view.tracks || !this.tracks.length;
    if (!this.element.hidden) {
      this.draw();
    }
  }

  private height(): number {
    return Math.round(rem() * 1.75);
  }

  private value(track: Track, column: number): number {
    const { fields, values } = this.times!;
    if (track.series) {
      const { from, to } = this.context.store.view;
      return seriesAt(track.series, track.bins!, from + ((column + 0.5) * (to - from)) / this.times!.columns);
    }
    if (track.memory) {
      return this.memory(track.memory, column)?.resident ?? 0;
    }
    let sum = 0;
    for (const part of track.parts) {
      for (const field of part.fields) {
        sum += values[column * fields + field];
      }
    }
    const perColumn = (this.context.store.view.to - this.context.store.view.from) / this.times!.columns;
    return Math.min((sum / perColumn) * (track.perSecond ? 1e9 : 1), track.bound ?? Infinity);
  }

  private memory(track: MemoryTrack, column: number) {
    const { from, to } = this.context.store.view;
    const perColumn = (to - from) / this.times!.columns;
    return highestMemory(track, from + column * perColumn, from + (column + 1) * perColumn);
  }

  private words(track: Track, column: number): string {
    if (!track.memory) {
      return shown(track, this.value(track, column));
    }
    const memory = this.memory(track.memory, column);
    return memory
      ? `${bytes(memory.resident)}, of it ${bytes(memory.shared)} of files and shared memory`
      : "no process, or not known";
  }

  private draw() {
    const { store } = this.context;
    const { view } = store;
    if (this.element.hidden || !view.tracks) {
      return;
    }
    const palette = this.context.palette();
    const height = this.height();
    this.element.style.flex = `0 1 ${this.tracks.length * height + 1}px`;
    this.surface.begin(css(palette.ground), this.tracks.length * height);
    const { surface } = this;
    const columns = Math.max(1, Math.min(Math.round(surface.width), 1000));
    const threads = this.context.threads();
    this.times = this.sums.read(this.context.level((view.to - view.from) / columns), threads, view.from, view.to, columns);
    this.image.begin(columns, this.tracks.length * height, palette.ground);
    this.most = this.tracks.map((track, index) => this.drawTrack(track, index * height, height));
    const { pen, width } = surface;
    this.image.draw(pen, 0, 0, width, this.tracks.length * height);
    pen.fillStyle = palette.grid;
    this.tracks.forEach((_, index) => pen.fillRect(0, (index + 1) * height - 1, width, 1));
    this.tracks.forEach((track, index) => this.drawGaps(track, index * height, height));
    drawBrush(surface, palette, view);
    this.list(height);
  }

  // Returns the value at the top of its axis.
  private drawTrack(track: Track, top: number, height: number): number {
    const palette = this.context.palette();
    const { columns, fields, values } = this.times!;
    let most = track.top;
    for (let column = 0; column < columns; column++) {
      most = Math.max(most, this.value(track, column));
    }
    const { view } = this.context.store;
    const scale = ((height - 5) / (most || 1) / ((view.to - view.from) / columns)) * (track.perSecond ? 1e9 : 1);
    const floor = top + height - 1;
    for (let column = 0; column < columns; column++) {
      let base = 0;
      if (track.series || track.memory) {
        const tall = (this.value(track, column) * (height - 5)) / (most || 1);
        this.image.column(column, floor, 0, tall, palette.event, palette.ground);
      }
      for (const part of track.parts) {
        let tall = 0;
        for (const field of part.fields) {
          tall += values[column * fields + field] * scale;
        }
        tall = Math.min(tall, track.bound ? (track.bound * (height - 5)) / (most || 1) - base : tall);
        if (tall > 0) {
          const colour = part.channel < 0 ? palette.event : palette.channels[part.channel];
          this.image.column(column, floor, base, base + tall, colour, palette.ground);
          base += tall;
        }
      }
    }
    return most;
  }

  // Hatched: unknown, which is not zero.
  private drawGaps(track: Track, top: number, height: number) {
    const { from, to } = this.context.store.view;
    const { pen, width } = this.surface;
    const at = (time: number) => ((time - from) / (to - from)) * width;
    pen.save();
    pen.strokeStyle = this.context.palette().grid;
    for (const [begin, end] of track.gaps ?? []) {
      const left = Math.max(0, at(begin));
      const right = Math.min(width, at(end));
      if (right <= left) {
        continue;
      }
      pen.save();
      pen.beginPath();
      pen.rect(left, top, right - left, height - 1);
      pen.clip();
      pen.fillStyle = css(this.context.palette().ground);
      pen.fillRect(left, top, right - left, height - 1);
      pen.beginPath();
      for (let x = Math.floor((left - height) / 6) * 6; x < right; x += 6) {
        pen.moveTo(x, top + height);
        pen.lineTo(x + height, top);
      }
      pen.stroke();
      pen.restore();
    }
    pen.restore();
  }

  private list(height: number) {
    if (this.names.childElementCount !== this.tracks.length) {
      replace(
        this.names,
        ...this.tracks.map((track) =>
          h(
            "div",
            { class: "row", title: track.title },
            h("span", { class: "name" }, track.name),
            h("span", { class: "share" }),
          ),
        ),
      );
      this.fitted.fit();
    }
    this.tracks.forEach((track, index) => {
      const row = this.names.children[index] as HTMLElement;
      row.style.height = `${height}px`;
      const words = shown(track, this.most[index]);
      if (row.lastElementChild!.textContent !== words) {
        row.lastElementChild!.textContent = words;
      }
    });
  }

  private hover(event: MouseEvent, time: number) {
    const index = Math.floor((event.clientY - this.picture.getBoundingClientRect().top) / this.height());
    const track = this.tracks[index];
    const { from, to } = this.context.store.view;
    if (!track || !this.times) {
      tip.hide();
      return;
    }
    const perColumn = (to - from) / this.times.columns;
    const column = Math.min(this.times.columns - 1, Math.floor((time - from) / perColumn));
    tip.besideRow(
      event,
      this.picture.getBoundingClientRect().top + index * this.height(),
      this.height(),
      h("b", {}, track.title),
      h(
        "div",
        {},
        track.gaps?.some(([begin, end]) => begin <= time && time < end)
          ? `at ${moment(time, perColumn)}: no answer`
          : `at ${moment(time, perColumn)}: ${this.words(track, column)}`,
      ),
    );
  }
}

function tracksOf(context: Context): Track[] {
  const { model } = context;
  const tracks: Track[] = [];
  if (model.threads.length) {
    tracks.push({
      name: "on processors",
      title: "processors that the chosen threads used",
      unit: "",
      parts: [
        { fields: [Channel.User], channel: 0 },
        { fields: [Channel.Spinning], channel: 2 },
        { fields: [Channel.System], channel: 1 },
      ],
      perSecond: false,
      top: Math.min(Number(model.run.processors) || 1, model.threads.length),
      bound: Number(model.run.processors) || undefined,
    });
  }
  if (model.threads.some((thread) => (thread.states[2] ?? 0) > 0)) {
    tracks.push({
      name: "ready, no processor",
      title: "threads that could run, but others had the processors",
      unit: "",
      parts: [{ fields: [Channel.Ready], channel: 3 }],
      perSecond: false,
      top: 1,
    });
  }
  model.events.forEach((name, event) =>
    tracks.push({
      name: name,
      title: `${name} of the chosen threads`,
      unit: "/s",
      parts: [{ fields: [kChannels + event], channel: -1 }],
      perSecond: true,
      top: 0,
    }),
  );
  for (const series of model.metrics) {
    const what = series.kind === "task" ? series.name : `${series.kind} ${series.name}`;
    const perSecond = series.counter && series.unit !== "ns";
    const unit = series.counter && series.unit === "ns" ? "" : ` ${series.unit}${perSecond ? "/s" : ""}`;
    const made = (name: string, title: string, bins: number[], top: number, gaps: [number, number][]) =>
      tracks.push({
        name,
        title: `${title}${unit ? "" : ": how many at once"}`,
        unit: unit.replace(/^ \//, "/").trimEnd(),
        parts: [],
        perSecond: false,
        top,
        series,
        bins,
        gaps,
      });
    const described = series.description || what;
    if (!series.hosts.length) {
      const rule = series.total_is === "sum" ? "" : `${series.total_is} `;
      const total =
        series.unit === "ns" ? `${compact(series.total / 1e9)} s` : `${compact(series.total)} ${series.unit}`.trim();
      made(
        what,
        `${described}, ${rule}of all ${series.kind === "task" ? "threads" : `${series.kind}s`}, in all ${total}`,
        series.bins,
        0,
        [],
      );
      continue;
    }
    // Hosts side by side have one axis.
    const most = Math.max(...series.hosts.map((bins) => Math.max(...bins.map((_, bin) => rate(series, bins, bin)))));
    series.hosts.forEach((bins, index) => {
      const host = model.hosts[index];
      const clock = host.clock_error === null ? "" : `, its clock known to ${compact(host.clock_error / 1e3)} µs`;
      made(`${host.name}  ${what}`, `${what} of ${host.name} (${described})${clock}`, bins, most, host.gaps);
    });
  }
  for (const memory of model.memory) {
    tracks.push({
      name: `memory ${memory.name}`,
      title: `resident memory of ${memory.name}`,
      unit: "",
      parts: [],
      perSecond: false,
      top: 0,
      memory,
    });
  }
  return tracks;
}

function shown(track: Track, value: number): string {
  return track.memory ? (value ? bytes(value) : "–") : `${compact(value)}${track.unit}`;
}

// Counters: by the second, or, for times, by the nanosecond: how many at once.
function rate(series: Series, bins: number[], bin: number): number {
  const width = (series.end - series.begin) / bins.length;
  const value = bins[bin] ?? 0;
  return series.counter ? (value / width) * (series.unit === "ns" ? 1 : 1e9) : value;
}

function seriesAt(series: Series, bins: number[], time: number): number {
  return rate(series, bins, Math.floor((time - series.begin) / ((series.end - series.begin) / bins.length)));
}
