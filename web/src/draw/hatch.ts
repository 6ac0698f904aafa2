// Hatched fills for unknown values, which are not zero.
import { Colour, css } from "./palette";

const kStep = 6; // px between lines

export class Hatches {
  private made = new Map<string, CanvasPattern>();

  // Lines of a colour over a faint ground of it.
  of(pen: CanvasRenderingContext2D, colour: Colour, ground: Colour): CanvasPattern {
    const key = `${colour} ${ground}`;
    let pattern = this.made.get(key);
    if (!pattern) {
      const tile = document.createElement("canvas");
      tile.width = tile.height = kStep;
      const lines = tile.getContext("2d")!;
      lines.fillStyle = css(ground);
      lines.fillRect(0, 0, kStep, kStep);
      lines.fillStyle = css(colour, 0.18);
      lines.fillRect(0, 0, kStep, kStep);
      lines.strokeStyle = css(colour, 0.8);
      lines.lineWidth = 1.2;
      lines.beginPath();
      for (const x of [-kStep, 0, kStep]) {
        lines.moveTo(x, kStep);
        lines.lineTo(x + kStep, 0);
      }
      lines.stroke();
      this.made.set(key, (pattern = pen.createPattern(tile, "repeat")!));
    }
    return pattern;
  }
}
