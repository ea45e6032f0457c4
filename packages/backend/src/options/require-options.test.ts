import { expect, it } from "vitest";
import { requireOptions } from "./require-options.ts";

const TYPES = { precision: '"fast" | "exact"', cache: "boolean | object", signal: "AbortSignal" };

it.each<[string, unknown, string]>([
  ["a misspelled name", { precison: "exact" }, '{ precison: "exact" }'],
  ["a name of Object", { constructor: 1 }, "{ constructor: number }"],
  ["a value that is none of its own", { precision: "fats" }, '{ precision: "fats" }'],
  ["another type", { cache: "yes" }, '{ cache: "yes" }'],
  ["null", { cache: null }, "{ cache: null }"],
  ["a controller for its signal", { signal: new AbortController() }, "{ signal: object }"],
  ["a number", 5, "number"],
  ["no options", null, "null"],
])("options refuse %s", (_, options, given) => {
  expect(() => requireOptions("made()", options, TYPES)).toThrow(
    expect.objectContaining({
      code: "backend.options",
      what: `made() does not take \`${given}\``,
      advice: 'Its options are { precision: "fast" | "exact", cache: boolean | object, signal: AbortSignal }.',
    }),
  );
});

it("options may be left out, undefined, or of any of their types", () => {
  const { signal } = new AbortController();
  const all = [
    {},
    { precision: undefined, other: undefined },
    { precision: "fast", cache: {}, signal },
    { cache: true },
  ];
  for (const options of all) requireOptions("made()", options, TYPES);
});
