// A blob of the page's data: JSON and named columns (docs/page-data.md). Opened when first needed.

type Described = [kind: string, count: number, offset: number, size: number];

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) {
    return native.call(Uint8Array, text);
  }
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) {
    bytes[i] = binary.charCodeAt(i);
  }
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The element with its whole text: parts of the page behind the script may not have been parsed yet.
async function parsed(id: string): Promise<HTMLElement | null> {
  const element = document.getElementById(id);
  if (element?.nextElementSibling || document.readyState !== "loading") {
    return element;
  }
  await new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
  return document.getElementById(id);
}

let listed = new Set<string>(); // ids of the page's blobs

export function listBlobs(ids: string[]) {
  listed = new Set(ids);
}

// Whether the page has this blob, parsed or not.
export function hasBlob(id: string): boolean {
  return listed.has(id);
}

let pending = 0; // being opened, or just returned to a caller

export function isReading(): boolean {
  return pending > 0;
}

export class DataBlob {
  constructor(
    readonly json: any,
    private bytes: Uint8Array<ArrayBuffer>,
    private start: number,
  ) {}

  static async open(id: string): Promise<DataBlob> {
    pending++;
    try {
      return await DataBlob.read(id);
    } finally {
      setTimeout(() => pending--);
    }
  }

  private static async read(id: string): Promise<DataBlob> {
    const element = await parsed(id);
    if (!element) {
      throw new Error(`the page holds no "${id}"`);
    }
    const bytes = await inflate(fromBase64(element.textContent ?? ""));
    element.textContent = ""; // its text takes as much memory again
    const view = new DataView(bytes.buffer);
    const magic = String.fromCharCode(...bytes.subarray(0, 8));
    if (magic !== "KYMOPAGE" || view.getUint32(8, true) !== 1) {
      throw new Error(`"${id}" is not of a layout that this page knows`);
    }
    const length = view.getUint32(12, true);
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + length)));
    return new DataBlob(json, bytes, 16 + length);
  }

  has(name: string): boolean {
    return name in this.json.columns;
  }

  private described(name: string): { kind: string; count: number; bytes: Uint8Array<ArrayBuffer> } {
    const column = this.json.columns[name] as Described | undefined;
    if (!column) {
      throw new Error(`the page's data have no column "${name}"`);
    }
    const [kind, count, offset, size] = column;
    return { kind, count, bytes: this.bytes.subarray(this.start + offset, this.start + offset + size) };
  }

  raw(name: string): Uint8Array {
    return this.described(name).bytes;
  }

  floats(name: string): Float32Array {
    const { count, bytes } = this.described(name);
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 4 * count));
  }

  // Numbers below 2^32.
  u32(name: string): Uint32Array {
    const { kind, count, bytes } = this.described(name);
    if (kind !== "varint") {
      return Uint32Array.from(this.f64(name));
    }
    const out = new Uint32Array(count);
    let at = 0;
    for (let i = 0; i < count; i++) {
      let byte = bytes[at++];
      let value = byte & 0x7f;
      for (let shift = 7; byte & 0x80; shift += 7) {
        byte = bytes[at++];
        value |= (byte & 0x7f) << shift;
      }
      out[i] = value;
    }
    return out;
  }

  // Whole numbers up to 2^53; those stored as differences are added up.
  f64(name: string): Float64Array {
    const { kind, count, bytes } = this.described(name);
    const out = new Float64Array(count);
    let at = 0;
    let last = 0;
    for (let i = 0; i < count; i++) {
      let byte = bytes[at++];
      let value = byte & 0x7f;
      for (let scale = 128; byte & 0x80; scale *= 128) {
        byte = bytes[at++];
        value += (byte & 0x7f) * scale;
      }
      if (kind === "varint") {
        out[i] = value;
        continue;
      }
      const signed = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      out[i] = kind === "delta" ? (last += signed) : signed;
    }
    return out;
  }
}
