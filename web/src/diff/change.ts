// Differences as words and colours.
import { duration } from "../format";
import { Colour, Palette } from "../draw/palette";

export function signed(ns: number): string {
  return (ns < 0 ? "−" : "+") + duration(Math.abs(ns));
}

export function ratio(base: number, other: number): string {
  if (base <= 0) {
    return other > 0 ? "new" : "";
  }
  if (other <= 0) {
    return "gone";
  }
  const share = ((other - base) / base) * 100;
  return `${share < 0 ? "−" : "+"}${Math.abs(share).toFixed(1)} %`;
}

function mix(a: Colour, b: Colour, share: number): Colour {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

const kSlower: Colour = [220, 38, 127];
const kFaster: Colour = [48, 140, 232];

// Grey: no difference. `share`: of the colour, 0 to 1; its sign says which.
export function changeColour(palette: Palette, share: number): Colour {
  const grey: Colour = palette.dark ? [84, 92, 108] : [196, 202, 212];
  const strength = share === 0 ? 0 : 0.25 + 0.75 * Math.min(1, Math.abs(share));
  return mix(grey, share > 0 ? kSlower : kFaster, strength);
}
