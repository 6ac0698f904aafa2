// The input of every view.
import { Finding } from "../data/finding";
import { HeavyGap } from "../data/heavy";
import { Level } from "../data/level";
import { Model } from "../data/model";
import { LeafTimes, SpaceTree } from "../data/spaces";
import { Palette } from "../draw/palette";
import { KeptOccurrences } from "../data/kept_occurrences";
import { Store, View } from "../state";

export interface Context {
  findings: Finding[];
  goToFinding(index: number): void;
  model: Model;
  store: Store;
  palette(): Palette;
  occurrences(): KeptOccurrences | null; // of the selected space
  tree(): SpaceTree; // for the chosen order
  region(): LeafTimes; // of the brush, or of the part in view
  forgetOccurrences(): void; // another definition of slow, or another space, was chosen
  regionBounds(): [number, number];
  threads(): number[]; // selected ones, or all
  selected(): { node: number; leaves: Uint8Array } | null; // the selected space
  found(): number[] | null; // tree nodes that match the search, in the rows' order; null: no search
  level(width: number): Level; // for columns of `width` ns
}

// Moves all views to a gap, with its surroundings.
export function goToGap({ store }: Context, gap: HeavyGap) {
  store.look(gap.begin - gap.length, gap.begin + 2 * gap.length);
  store.set({ brush: [gap.begin, gap.begin + gap.length], threads: [gap.thread] });
}

export type Changed = Set<keyof View>;

export interface ViewPart {
  readonly element: HTMLElement;
  update(view: View, changed: Changed): void;
}

export function anyOf(changed: Changed, ...keys: (keyof View)[]): boolean {
  return keys.some((key) => changed.has(key));
}
