import type { SymRange } from "@pt2/graph";

/** Formats `1.4 MB`, in decimal units as disks and networks use. */
export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}

/** Formats `4.30 µs`, `12.3 ms`, `2.50 s`, `125 s`. */
export function timeText(ms: number): string {
  const [value, unit] = ms < 0.1 ? [1000 * ms, "µs"] : ms < 1000 ? [ms, "ms"] : [ms / 1000, "s"];
  return `${value < 100 ? value.toPrecision(3) : value.toFixed(0)} ${unit}`;
}

/** Formats `1,234,567`. */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** Formats `1 node`, `2 nodes`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : nouns}`;
}

/** Formats `1 … 1024`, `at least 2`. */
export function rangeText({ min, max }: SymRange): string {
  if (min === null) return max === null ? "any" : `at most ${max}`;
  return max === null ? `at least ${min}` : `${min} … ${max}`;
}
