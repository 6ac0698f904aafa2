// Memory over time: the bytes of processes from each point until the next.

export interface MemoryTrack {
  name: string;
  end: number | null; // the process had ended; null: not before the run's end
  points: number[]; // time, resident bytes and shared bytes, one after the other
}

const kFields = 3;

// The last point at or before `time`; −1: there is none.
function pointBefore(track: MemoryTrack, time: number): number {
  let low = 0;
  let high = track.points.length / kFields;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track.points[middle * kFields] <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

export interface Memory {
  resident: number;
  shared: number; // of it: pages of files, and shared memory
}

// The highest from one time to another; null: not known, or ended.
export function highestMemory(track: MemoryTrack, from: number, to: number): Memory | null {
  const { points } = track;
  let found: Memory | null = null;
  const last = pointBefore(track, to);
  for (let point = Math.max(0, pointBefore(track, from)); point <= last; point++) {
    const [resident, shared] = [points[point * kFields + 1], points[point * kFields + 2]];
    if (!found || resident > found.resident) {
      found = { resident, shared };
    }
  }
  return track.end !== null && track.end <= from ? null : found;
}
