import { expect, test } from "vitest";
import { type Mode, RestedRuns } from "./rested-runs.ts";

/** Makes runs that take as long as `milliseconds` says of their kind; returns the kinds. */
function make(runs: RestedRuns, count: number, milliseconds: (mode: Mode) => number): readonly Mode[] {
  return Array.from({ length: count }, () => {
    const mode = runs.next();
    runs.took(mode, milliseconds(mode));
    return mode;
  });
}

const countOf = (modes: readonly Mode[], mode: Mode): number => modes.filter((one) => one === mode).length;

/** Runs that are no longer cold. */
function warm(): RestedRuns {
  const runs = new RestedRuns();
  expect(
    countOf(
      make(runs, 10, () => 1000),
      "helped",
    ),
  ).toBe(10);
  return runs;
}

test("runs of both kinds are tried, helped ones first", () => {
  const modes = make(warm(), 6, () => 1);
  expect(modes).toEqual(["helped", "alone", "helped", "alone", "helped", "alone"]);
});

test.each(["helped", "alone"] as const)("where %s runs are faster, others are tried more and more seldom", (faster) => {
  const runs = warm();
  const milliseconds = (mode: Mode): number => (mode === faster ? 10 : 12);
  make(runs, 6, milliseconds);
  expect(1000 - countOf(make(runs, 1000, milliseconds), faster)).toBeLessThan(10);
  const later = make(runs, 10_000, milliseconds);
  expect(10_000 - countOf(later, faster)).toBeGreaterThan(5);
  expect(10_000 - countOf(later, faster)).toBeLessThan(15);
});

test("what was slower and becomes faster is found, and then preferred", () => {
  const runs = warm();
  make(runs, 500, (mode) => (mode === "alone" ? 10 : 12));
  expect(
    countOf(
      make(runs, 3000, (mode) => (mode === "alone" ? 10 : 6)),
      "helped",
    ),
  ).toBeGreaterThan(2000);
});

test("one run that was held up does not change what is preferred for long", () => {
  const runs = warm();
  const milliseconds = (mode: Mode): number => (mode === "helped" ? 10 : 12);
  make(runs, 100, milliseconds);
  runs.took("helped", 100);
  expect(countOf(make(runs, 200, milliseconds), "helped")).toBeGreaterThan(100);
});

test("long runs are helped", () => {
  expect(
    countOf(
      make(warm(), 100, (mode) => (mode === "alone" ? 30 : 40)),
      "helped",
    ),
  ).toBe(100);
});
