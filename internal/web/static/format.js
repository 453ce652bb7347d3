// Figures as people read them: three significant digits and a unit, as in the
// program's other outputs (package unit).

const digits = v => {
  const a = Math.abs(v);
  return v.toFixed(a >= 99.95 ? 0 : a >= 9.995 ? 1 : a >= 0.9995 ? 2 : 3);
};

// scaled is a value's number and unit, by the largest unit of which it has one.
function scaled(v, base, units) {
  let i = 0;
  while (i + 1 < units.length && Math.abs(v) >= 0.9995 * base) {
    v /= base;
    i++;
  }
  return [digits(v), units[i]];
}

// Each gives [number, unit]; nothing where there is no figure.
export const rate = v => v > 0 ? scaled(v, 1000, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]) : null;
export const size = v => scaled(v, 1024, ["B", "KiB", "MiB", "GiB"]);
export const time = v => v > 0 ? v < 1e-3 ? [digits(v * 1e6), "µs"] : v < 0.9995 ? [digits(v * 1e3), "ms"] : [digits(v), "s"] : null;
export const share = v => v > 0 ? [v < 0.00005 ? "<0.01" : digits(v * 100), "%"] : null;
// percent is a whole number of them.
export const percent = v => [String(Math.round(v * 100)), "%"];
export const number = v => [v.toLocaleString("en").replaceAll(",", "\u202f"), ""];

// plain is a figure of an axis: without digits that say nothing.
export const plain = figure => figure && [figure[0].includes(".") ? figure[0].replace(/\.?0+$/, "") : figure[0], figure[1]];

// words are a figure in running text.
export const words = (figure, none = "0") => figure ? figure.filter(Boolean).join("\u00a0") : none;

// age is a span in at most two units: 31 s, 4 min, 2 h 5 min, 3 d.
export function age(seconds) {
  const s = Math.round(seconds);
  if (s < 60) return [String(s), "s"];
  if (s < 3600) return [String(Math.floor(s / 60)), "min"];
  if (s < 86400) return [String(Math.floor(s / 3600)), "h"];
  return [String(Math.floor(s / 86400)), "d"];
}

// evidence is a piece of a verdict's in its unit.
export function evidence(e) {
  switch (e.unit) {
    case "bit/s": return words(rate(e.value), "0 bit/s");
    case "s": return words(time(e.value), "0 s");
    case "ratio": return words(plain(share(e.value)), "0 %");
    case "bytes": return words(e.value < 10_000 && Number.isInteger(e.value) ? [String(e.value), "B"] : size(e.value));
  }
  return e.value < 0 ? "unknown" : words(number(e.value));
}

// span is a position: 03:07, 1:02:03.
export function span(seconds) {
  const s = Math.floor(seconds), two = n => String(n).padStart(2, "0");
  return (s >= 3600 ? Math.floor(s / 3600) + ":" + two(Math.floor(s / 60) % 60) : two(Math.floor(s / 60))) + ":" + two(s % 60);
}

export const clock = at => new Date(at).toLocaleTimeString("en-GB");
export const day = at => new Date(at).toLocaleString("sv-SE").slice(0, 16);
