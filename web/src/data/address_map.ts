// The address map of each process at the times at which it was read (docs/page-data.md, blob "address_map").
import { DataBlob, hasBlob } from "./blob";

// Its state at readings `from` to `to` − 1 of its process.
export interface MapArea {
  number: number; // the process's: an area that grows or shrinks keeps it
  page: number; // of 4 KiB
  pages: number;
  kind: string;
  name: string;
  path: string;
  access: string;
  from: number;
  to: number;
}

// Areas that share addresses, at whatever times.
export interface Band {
  page: number;
  pages: number;
  areas: MapArea[];
}

export interface MapProcess {
  pid: number;
  process: number | null; // index in Model.processes
  all: number; // areas; the smallest may be left out
  passedOver: number | null;
  lost: number | null;
  ended: boolean; // false: it was killed
  readings: Float64Array; // ns, rising
  areas: MapArea[];
  bands: Band[]; // highest addresses first
  most: number; // bytes at one reading
}

export const kPageBytes = 4096;

// By rising addresses, merged where they overlap.
export function bandsOf(areas: MapArea[]): Band[] {
  const bands: Band[] = [];
  for (const area of areas.slice().sort((a, b) => a.page - b.page)) {
    const last = bands[bands.length - 1];
    if (last && area.page < last.page + last.pages) {
      last.pages = Math.max(last.pages, area.page + area.pages - last.page);
      last.areas.push(area);
    } else {
      bands.push({ page: area.page, pages: area.pages, areas: [area] });
    }
  }
  return bands.reverse();
}

// The most bytes at one reading.
function mostBytes(areas: MapArea[], readings: number): number {
  const change = new Float64Array(readings + 1);
  for (const { from, to, pages } of areas) {
    change[from] += pages;
    change[to] -= pages;
  }
  let sum = 0;
  return change.reduce((most, by) => Math.max(most, (sum += by)), 0) * kPageBytes;
}

let opened: MapProcess[] | null = null;
let opening: Promise<void> | null = null;

export function mapData(): MapProcess[] | null {
  return opened;
}

export function hasMap(): boolean {
  return hasBlob("address_map");
}

export function openMap(): Promise<void> {
  return (opening ??= DataBlob.open("address_map").then((blob) => {
    opened = read(blob);
  }));
}

function read(blob: DataBlob): MapProcess[] {
  const { json } = blob;
  const firstArea = blob.f64("area.first");
  const firstReading = blob.f64("reading.first");
  const times = blob.f64("reading.time");
  const [number, page, pages, from, to] = ["number", "page", "pages", "from", "to"].map((name) => blob.f64(`area.${name}`));
  const [kind, name, path, access] = ["kind", "name", "path", "access"].map((name) => blob.u32(`area.${name}`));
  return json.processes.map((row: any, index: number): MapProcess => {
    const areas: MapArea[] = [];
    for (let i = firstArea[index]; i < firstArea[index + 1]; i++) {
      areas.push({
        number: number[i],
        page: page[i],
        pages: pages[i],
        kind: json.kinds[kind[i]],
        name: json.names[name[i]],
        path: json.names[path[i]],
        access: json.access[access[i]],
        from: from[i],
        to: to[i],
      });
    }
    const readings = times.slice(firstReading[index], firstReading[index + 1]);
    return {
      pid: row.pid,
      process: row.process,
      all: row.all,
      passedOver: row.passed_over,
      lost: row.lost,
      ended: row.ended,
      readings,
      areas,
      bands: bandsOf(areas),
      most: mostBytes(areas, readings.length),
    };
  });
}
