// The brightness of a picture, from its contents.
import { kChannels, Raster } from "./sums";

// The share of a thread that is drawn at full strength: such that most pixels are neither dark nor burnt out.
export function exposure(made: Raster, perColumn: number, counts: (row: number) => boolean): number {
  const shares: number[] = [];
  for (let row = 0; row < made.rows; row++) {
    for (let column = 0; counts(row) && column < made.columns; column++) {
      const base = (row * made.columns + column) * kChannels;
      const sum = made.values[base] + made.values[base + 1] + made.values[base + 2];
      if (sum > 0) {
        shares.push(sum / perColumn);
      }
    }
  }
  shares.sort((a, b) => a - b);
  return Math.max(shares[Math.floor(shares.length * 0.85)] ?? 1, 0.02);
}

// Logarithms of the least and greatest rate of the event per ns, except the outermost few of a hundred.
export function ratesOf(made: Raster): [number, number] {
  const rates: number[] = [];
  for (let at = 0; at < made.event!.length; at++) {
    if (made.event![at] > 0) {
      let sum = 0;
      for (let channel = 0; channel < kChannels; channel++) {
        sum += made.values[at * kChannels + channel];
      }
      rates.push(Math.log(made.event![at] / Math.max(sum, 1)));
    }
  }
  rates.sort((a, b) => a - b);
  return rates.length ? [rates[Math.floor(rates.length * 0.03)], rates[Math.floor(rates.length * 0.97)] + 1e-6] : [0, 1];
}
