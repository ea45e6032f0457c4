import { expect, test } from "vitest";
import { type Mode, RestedRuns } from "./rested-runs.ts";

const MODES = ["together", "alone"] as const;

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
  expect(new Set(make(runs, 10, () => 1000))).toEqual(new Set(["together"]));
  return runs;
}

test("three runs of each kind are made before one is preferred", () => {
  const modes = make(warm(), 8, (mode) => (mode === "alone" ? 1.2 : 1));
  expect(modes).toEqual([...new Array(3).fill("together"), ...new Array(3).fill("alone"), "together", "together"]);
});

test("one run is enough for a kind that takes half as much again", () => {
  const modes = make(warm(), 8, (mode) => (mode === "alone" ? 1.5 : 1));
  expect(modes).toEqual([...new Array(3).fill("together"), "alone", ...new Array(4).fill("together")]);
});

test.each(MODES)("where runs %s are the fastest, the others are tried more and more seldom", (fastest) => {
  const runs = warm();
  const milliseconds = (mode: Mode): number => (mode === fastest ? 10 : 12);
  make(runs, 6, milliseconds);
  expect(1000 - countOf(make(runs, 1000, milliseconds), fastest)).toBeLessThan(20);
  const others = 10_000 - countOf(make(runs, 10_000, milliseconds), fastest);
  expect(others).toBeGreaterThan(10);
  expect(others).toBeLessThan(50);
});

test.each(MODES)("when runs %s become the fastest, that is found, and they are preferred", (fastest) => {
  const runs = warm();
  make(runs, 500, (mode) => (mode === fastest ? 12 : 10));
  const later = make(runs, 600, (mode) => (mode === fastest ? 6 : 10));
  expect(countOf(later, fastest)).toBeGreaterThan(250);
});

test("a kind that is tried and was faster is tried again at once, and preferred after a few runs", () => {
  const runs = warm();
  make(runs, 100, (mode) => (mode === "alone" ? 9 : 12));
  const later = make(runs, 200, (mode) => (mode === "together" ? 6 : 9));
  const first = later.indexOf("together");
  expect(later.slice(first, first + 8)).toEqual(new Array(8).fill("together"));
});

test("one run that was held up does not change what is preferred for long", () => {
  const runs = warm();
  const milliseconds = (mode: Mode): number => (mode === "together" ? 10 : 12);
  make(runs, 100, milliseconds);
  expect(runs.next).toBe("together");
  runs.took(100);
  expect(countOf(make(runs, 200, milliseconds), "together")).toBeGreaterThan(100);
});

test("long runs are not tried alone once that is known", () => {
  const runs = warm();
  make(runs, 6, (mode) => (mode === "alone" ? 40 : 50));
  expect(
    countOf(
      make(runs, 1000, () => 50),
      "alone",
    ),
  ).toBe(0);
});
