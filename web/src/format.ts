// Numbers and names in readable form.

function digits(value: number): string {
  const size = Math.abs(value);
  return size >= 99.95 ? value.toFixed(0) : size >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

export function duration(ns: number): string {
  const size = Math.abs(ns);
  if (size >= 119.5e9) {
    return `${Math.floor(ns / 60e9)} min ${Math.round((ns % 60e9) / 1e9)} s`;
  }
  return size >= 0.9995e9
    ? `${digits(ns / 1e9)} s`
    : size >= 0.9995e6
      ? `${digits(ns / 1e6)} ms`
      : size >= 999.5
        ? `${digits(ns / 1e3)} µs`
        : `${Math.round(ns)} ns`;
}

// A moment, precise enough to distinguish it from one `step` ns away.
export function moment(ns: number, step: number): string {
  const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(Math.max(step, 1) / 1e9))));
  return `${(ns / 1e9).toFixed(decimals)} s`;
}

export function percent(share: number): string {
  if (!isFinite(share)) {
    return "–";
  }
  const value = share * 100;
  return value > 0 && value < 0.1 ? "<0.1 %" : `${value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} %`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function compact(value: number): string {
  const size = Math.abs(value);
  const [scale, unit] = size >= 1e9 ? [1e9, " G"] : size >= 1e6 ? [1e6, " M"] : size >= 999.5 ? [1e3, " k"] : [1, ""];
  return Number.isInteger(value) && size < 1e4 ? count(value) : digits(value / scale) + unit;
}

export function bytes(value: number): string {
  const [scale, unit] = value >= 1 << 30 ? [1 << 30, "GiB"] : value >= 1 << 20 ? [1 << 20, "MiB"] : [1024, "KiB"];
  return `${(value / scale).toFixed(scale === 1024 ? 0 : 1)} ${unit}`;
}

// "ns::Type<int>::run(int) const" → "ns::Type<…>::run": what is between brackets goes, except operators' own.
export function withoutArguments(name: string): string {
  if (name.startsWith("[") || name.includes("+0x")) {
    return name; // words of our own; a place without a name
  }
  const region = /^(.*?)(?: \[clone )?(?:\._omp_fn\.|\.omp_outlined)/.exec(name); // as in program::plain_name()
  if (region) {
    return `parallel region${region[1] ? ` in ${withoutArguments(region[1])}` : ""}`;
  }
  const plain = name.replace(/\(anonymous namespace\)::/g, "").replace(/ \[clone [^\]]*\]/g, "");
  let depth = 0;
  let out = "";
  for (let i = 0; i < plain.length; i++) {
    const letter = plain[i];
    if (plain.startsWith("operator", i) && depth === 0) {
      const sign = /^operator\s*(\(\)|\[\]|<<=?|>>=?|<=>|<=?|>=?|->\*?|[^\w\s(]{1,3}|\w[\w ]*)/.exec(plain.slice(i));
      if (sign) {
        out += sign[0];
        i += sign[0].length - 1;
        continue;
      }
    }
    if (letter === "<" || letter === "(") {
      if (depth === 0 && letter === "<" && out.length > 0) {
        out += "<…>";
      }
      depth++;
    } else if (letter === ">" || letter === ")") {
      depth = Math.max(0, depth - 1);
    } else if (depth === 0) {
      out += letter;
    }
  }
  out = out.replace(/ const$/, "").trim();
  const blank = out.lastIndexOf(" ");
  return (blank > 0 && !out.includes("operator") ? out.slice(blank + 1) : out) || name;
}

// The last two parts: "Strip::bounce".
export function shortName(name: string): string {
  if (name.startsWith("[") || name.includes("+0x")) {
    return name;
  }
  const parts = withoutArguments(name).split("::");
  return parts.slice(-2).join("::");
}

// What of a run's records is lost: samples, and the kernel's records of switches and processes.
export function losses(run: { lost: number; kernel_lost: number }, what = ""): string {
  const parts = [
    run.lost ? `${count(run.lost)} ${what}lost` : "",
    run.kernel_lost ? `${count(run.kernel_lost)} kernel records lost` : "",
  ];
  return parts.filter((part) => part).join(", ") || "none lost";
}
