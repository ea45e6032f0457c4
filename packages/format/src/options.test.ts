import { expect, it } from "vitest";
import { fromBytes } from "./byte-source.ts";
import { closestName, requireArgument, requireOptions } from "./options.ts";

it.each([
  ["precison", "precision"],
  ["Precision", "precision"],
  ["precisoin", "precision"],
  ["weight_decay", "weightDecay"],
  ["paramters", "parameters"],
  ["prescission", "precision"],
  ["p", undefined],
  ["of", undefined],
  ["", undefined],
  ["position", undefined],
])("%j is probably %j", (text, meant) => {
  expect(closestName(text, ["weightDecay", "precision", "parameters", "on"].values())).toBe(meant);
});

it("the closest name is meant, and of equally close ones the first", () => {
  expect(closestName("relu", ["rely", "relu_", "elu"])).toBe("rely");
  expect(closestName("topkk", ["tops", "topk"])).toBe("topk");
});

it.each<[unknown, string, string]>([
  [undefined, "string", "parse() takes string as `it`, not undefined"],
  [5, "string | Map", "parse() takes string | Map as `it`, not 5"],
  [null, "{ size, read }", "parse() takes { size, read } as `it`, not null"],
  [{ size: 5 }, "{ size, read }", "parse() takes { size, read } as `it`, not object"],
  [[], "object", "parse() takes object as `it`, not array"],
])("%j is no %s", (value, type, what) => {
  expect(() => requireArgument("parse()", "it", value, type, "a.code", "give another")).toThrow(
    expect.objectContaining({ code: "a.code", what, advice: "give another", details: { name: "it" } }),
  );
});

it("a value of the type, or with the members, is taken", () => {
  requireArgument("parse()", "it", "text", "string", "a.code");
  requireArgument("parse()", "it", new Map(), "string | Map", "a.code");
  requireArgument("parse()", "it", fromBytes(new Uint8Array(1)), "{ size, read }", "a.code");
});

const TYPES = {
  precision: '"fast" | "exact"',
  cache: "boolean | object",
  signal: "AbortSignal",
  rate: "number from 0",
  least: "finite number",
  limit: "number | Map",
  names: "array",
  match: "synchronous function",
  told: "function",
};
const ADVICE =
  'Its options are { precision: "fast" | "exact", cache: boolean | object, signal: AbortSignal, rate: number from 0, least: finite number, limit: number | Map, names: array, match: synchronous function, told: function }.';

it.each<[string, unknown, string, string?]>([
  ["a misspelled name", { precison: "exact" }, '{ precison: "exact" }', "precision"],
  ["a name with the underscores of Python", { signal_: 1 }, "{ signal_: 1 }", "signal"],
  ["a name of Object", { constructor: 1 }, "{ constructor: 1 }"],
  ["a value that is none of its own", { precision: "fats" }, '{ precision: "fats" }'],
  ["another type", { cache: "yes" }, '{ cache: "yes" }'],
  ["an array for an object", { cache: [] }, "{ cache: array }"],
  ["an object for an array", { names: new Set() }, "{ names: Set }"],
  ["null", { cache: null }, "{ cache: null }"],
  ["a controller for its signal", { signal: new AbortController() }, "{ signal: AbortController }"],
  ["a negative rate", { rate: -1 }, "{ rate: -1 }"],
  ["an endless rate", { rate: Infinity }, "{ rate: Infinity }"],
  ["a number that is none", { limit: Number.NaN }, "{ limit: NaN }"],
  ["a number without end", { least: -Infinity }, "{ least: -Infinity }"],
  ["an answer that is awaited", { match: async () => true }, "{ match: AsyncFunction }"],
  ["a number", 5, "5"],
  ["an array", [], "array"],
  ["no options", null, "null"],
  ["options that are left out", undefined, "undefined"],
])("options refuse %s", (_, options, given, meant) => {
  const what = `made() does not take \`${given}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`;
  expect(() => requireOptions("made()", options, TYPES, "backend.options")).toThrow(
    expect.objectContaining({ code: "backend.options", what, advice: ADVICE }),
  );
});

it("a required option that is missing is named", () => {
  for (const options of [{}, { names: undefined }]) {
    expect(() => requireOptions("made()", options, TYPES, "a.code", "names")).toThrow(
      expect.objectContaining({ code: "a.code", what: "made() needs the option `names`" }),
    );
  }
  requireOptions("made()", { names: [], match: () => 1, told: async () => {} }, TYPES, "a.code", "names");
});

it("options may be left out or undefined, and have any of their types", () => {
  const { signal } = new AbortController();
  const all = [
    {},
    { precision: undefined, other: undefined },
    { precision: "fast", cache: {}, signal, rate: 0, least: -1, limit: Infinity, names: [] },
    { cache: true, limit: new Map() },
  ];
  for (const options of all) requireOptions("made()", options, TYPES, "backend.options");
});
