import { expect, test } from "vitest";
import { type Mode, RestedRuns } from "./rested-runs.ts";

const MODES = ["timed", "woken", "alone"] as const;

/** Makes runs that take as long as `milliseconds` says of their kind; returns the kinds. */
function make(runs: RestedRuns, count: number, milliseconds: (mode: Mode) => number): readonly Mode[] {
  return Array.from({ length: count }, () => {
    const mode = runs.next;
    runs.took(milliseconds(mode));
    return mode;
  });
}

const countOf = (modes: readonly Mode[], mode: Mode): number => modes.filter((one) => one === mode).length;

/** Runs that are no longer cold. */
function warm(): RestedRuns {
  const runs = new RestedRuns();
  expect(new Set(make(runs, 10, () => 1000))).toEqual(new Set(["timed"]));
  return runs;
}

test("two runs of each kind are tried, since the first finds helpers asleep as the kind before left them", () => {
  expect(make(warm(), 7, () => 1)).toEqual(["timed", "woken", "woken", "alone", "alone", "timed", "timed"]);
  const runs = warm();
  let before: Mode = "timed";
  const later = make(runs, 30, (mode) => {
    const isFirst = mode !== before;
    before = mode;
    return isFirst ? 1000 : mode === "woken" ? 5 : 10;
  });
  expect(countOf(later.slice(-15), "woken")).toBeGreaterThan(10);
});

test.each(MODES)("where %s runs are the fastest, others are tried more and more seldom", (fastest) => {
  const runs = warm();
  const milliseconds = (mode: Mode): number => (mode === fastest ? 10 : 12);
  make(runs, 6, milliseconds);
  expect(1000 - countOf(make(runs, 1000, milliseconds), fastest)).toBeLessThan(20);
  const later = make(runs, 10_000, milliseconds);
  for (const other of MODES.filter((mode) => mode !== fastest)) {
    expect(countOf(later, other)).toBeGreaterThan(10);
    expect(countOf(later, other)).toBeLessThan(50);
  }
});

test.each(MODES)("when %s runs become the fastest, that is found, and they are preferred", (fastest) => {
  const runs = warm();
  make(runs, 500, (mode) => (mode === fastest ? 12 : 10));
  const later = make(runs, 600, (mode) => (mode === fastest ? 6 : 10));
  expect(countOf(later, fastest)).toBeGreaterThan(250);
});

test("a kind that is tried and was faster is tried again at once, and preferred after a few runs", () => {
  const runs = warm();
  make(runs, 100, (mode) => (mode === "alone" ? 9 : 12));
  const later = make(runs, 200, (mode) => (mode === "timed" ? 6 : 9));
  const first = later.indexOf("timed");
  expect(later.slice(first, first + 8)).toEqual(new Array(8).fill("timed"));
});

test("one run that was held up does not change what is preferred for long", () => {
  const runs = warm();
  const milliseconds = (mode: Mode): number => (mode === "timed" ? 10 : 12);
  make(runs, 100, milliseconds);
  expect(runs.next).toBe("timed");
  runs.took(100);
  expect(countOf(make(runs, 200, milliseconds), "timed")).toBeGreaterThan(100);
});

test("long runs are not tried alone once that is known", () => {
  const runs = warm();
  make(runs, 6, (mode) => (mode === "alone" ? 40 : 50));
  const later = make(runs, 1000, () => 50);
  expect(countOf(later, "alone")).toBe(0);
});

test("helpers nap, and are not woken, unless waking them is known to be faster", () => {
  const runs = new RestedRuns();
  expect([runs.naps, runs.woken]).toEqual([true, true]);
  make(runs, 40, (mode) => (mode === "timed" ? 10 : 12));
  expect([runs.naps, runs.woken]).toEqual([true, false]);
  make(runs, 4000, (mode) => (mode === "woken" ? 8 : 10));
  expect([runs.naps, runs.woken]).toEqual([false, true]);
});
