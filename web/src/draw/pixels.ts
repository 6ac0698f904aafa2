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
    const spread = paint.rateHigh - paint.rateLow || 1;
    for (let row = 0; row < rows; row++) {
      const full = paint.full[row];
      const strength = paint.dim[row] ? 0.3 : 1;
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
        let light = sum / full;
        light = light >= 1 ? 1 : Math.sqrt(light);
        light *= strength;
        let red: number;
        let green: number;
        let blue: number;
        if (paint.plain[row]) {
          [red, green, blue] = structure;
          light *= 0.5;
        } else if (paint.tint) {
          const per = event![at] / sum;
          const place = per > 0 ? (Math.log(per) - paint.rateLow) / spread : -1;
          const step = place < 0 ? 0 : place > 1 ? 255 : (place * 255) | 0;
          [red, green, blue] = per > 0 ? rate[step] : structure;
          light *= per > 0 ? 1 : 0.45;
        } else {
          red =
            (a * channels[0][0] +
              b * channels[1][0] +
              c * channels[2][0] +
              d * channels[3][0] +
              e * channels[4][0] +
              f * channels[5][0]) /
            sum;
          green =
            (a * channels[0][1] +
              b * channels[1][1] +
              c * channels[2][1] +
              d * channels[3][1] +
              e * channels[4][1] +
              f * channels[5][1]) /
            sum;
          blue =
            (a * channels[0][2] +
              b * channels[1][2] +
              c * channels[2][2] +
              d * channels[3][2] +
              e * channels[4][2] +
              f * channels[5][2]) /
            sum;
          // Waiting stands behind computing.
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
