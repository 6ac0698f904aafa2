// A raster of times as an image, one pixel a column and row, stretched to rows' heights on the canvas.
import { kChannels, Raster } from "../data/sums";
import { Palette } from "./palette";

export interface Paint {
  palette: Palette;
  full: Float32Array; // by row: ns a column that is drawn at full strength
  plain: Uint8Array; // by row: drawn in one colour (rows that hold others)
  dim: Uint8Array; // by row: others are selected
  tint: boolean; // by the event's rate, not by state
  rateLow: number; // of the event per ns, logarithms
  rateHigh: number;
}

export class Pixels {
  private image: ImageData | null = null;
  private canvas = document.createElement("canvas");

  draw(pen: CanvasRenderingContext2D, raster: Raster, paint: Paint, x: number, y: number, width: number, rowHeight: number) {
    const { rows, columns, values, event } = raster;
    if (!rows || !columns) {
      return;
    }
    if (!this.image || this.image.width !== columns || this.image.height !== rows) {
      this.image = new ImageData(columns, rows);
      this.canvas.width = columns;
      this.canvas.height = rows;
    }
    const { ground, channels, structure, rate } = paint.palette;
    const out = new Uint32Array(this.image.data.buffer);
    const bare = 0xff000000 | (ground[2] << 16) | (ground[1] << 8) | ground[0];
    const [red0, green0, blue0] = [0, 1, 2].map((part) => Float64Array.from(channels, (colour) => colour[part]));
    const spread = paint.rateHigh - paint.rateLow || 1;
    for (let row = 0; row < rows; row++) {
      const full = paint.full[row];
      // Rows that hold others are fainter, and so are those that are not chosen.
      const strength = (paint.dim[row] ? 0.3 : 1) * (paint.plain[row] ? 0.5 : 1);
      const plain = paint.plain[row] === 1;
      for (let column = 0; column < columns; column++) {
        const at = row * columns + column;
        const base = at * kChannels;
        const a = values[base];
        const b = values[base + 1];
        const c = values[base + 2];
        const d = values[base + 3];
        const e = values[base + 4];
        const f = values[base + 5];
        const sum = a + b + c + d + e + f;
        if (sum <= 0) {
          out[at] = bare;
          continue;
        }
        let light = strength * (sum >= full ? 1 : Math.sqrt(sum / full));
        let red: number;
        let green: number;
        let blue: number;
        if (plain || paint.tint) {
          const per = plain ? 0 : event![at] / sum;
          const place = per > 0 ? (Math.log(per) - paint.rateLow) / spread : 0;
          const colour = per > 0 ? rate[place < 0 ? 0 : place > 1 ? 255 : (place * 255) | 0] : structure;
          red = colour[0];
          green = colour[1];
          blue = colour[2];
          light *= plain || per > 0 ? 1 : 0.45;
        } else {
          red = (a * red0[0] + b * red0[1] + c * red0[2] + d * red0[3] + e * red0[4] + f * red0[5]) / sum;
          green = (a * green0[0] + b * green0[1] + c * green0[2] + d * green0[3] + e * green0[4] + f * green0[5]) / sum;
          blue = (a * blue0[0] + b * blue0[1] + c * blue0[2] + d * blue0[3] + e * blue0[4] + f * blue0[5]) / sum;
          // Waiting is darker than computing.
          light *= 1 - 0.45 * ((e + f) / sum);
        }
        red = ground[0] + (red - ground[0]) * light;
        green = ground[1] + (green - ground[1]) * light;
        blue = ground[2] + (blue - ground[2]) * light;
        out[at] = 0xff000000 | (blue << 16) | (green << 8) | red;
      }
    }
    this.canvas.getContext("2d")!.putImageData(this.image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.canvas, 0, 0, columns, rows, x, y, width, rows * rowHeight);
  }
}
