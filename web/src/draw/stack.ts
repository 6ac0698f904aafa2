// Stacked columns as one image, drawn pixel by pixel: thousands of rectangles a frame would cost the browser more.
import { Colour } from "./palette";

export class StackImage {
  private image: ImageData | null = null;
  private bits = new Uint32Array(0);
  readonly canvas = document.createElement("canvas");

  begin(columns: number, height: number, ground: Colour) {
    if (this.image?.width !== columns || this.image.height !== height) {
      this.image = new ImageData(columns, height);
      this.bits = new Uint32Array(this.image.data.buffer);
      this.canvas.width = columns;
      this.canvas.height = height;
    }
    this.bits.fill(packed(ground));
  }

  // From `low` to `high` above `floor`, in pixels; the topmost pixel is mixed by how far the column reaches into it.
  column(column: number, floor: number, low: number, high: number, colour: Colour, ground: Colour) {
    const { bits } = this;
    const columns = this.image!.width;
    const solid = packed(colour);
    const top = Math.floor(high);
    for (let y = Math.round(low); y < top; y++) {
      bits[(floor - 1 - y) * columns + column] = solid;
    }
    const part = high - top;
    if (part > 0.04 && top >= Math.round(low) && top < floor) {
      bits[(floor - 1 - top) * columns + column] = packed(
        [0, 1, 2].map((i) => ground[i] + (colour[i] - ground[i]) * part) as Colour,
      );
    }
  }

  draw(pen: CanvasRenderingContext2D, x: number, y: number, width: number, height: number) {
    this.canvas.getContext("2d")!.putImageData(this.image!, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.canvas, x, y, width, height);
  }
}

function packed([red, green, blue]: Colour): number {
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}
