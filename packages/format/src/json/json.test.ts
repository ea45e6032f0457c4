import { describe, expect, it } from "vitest";
import { float, int, JsonReader, listOf, string } from "./json-reader.ts";
import { exactInt, parseJson, plainJson, pythonInt } from "./parse-json.ts";
import { JsonFloat, writeJson } from "./write-json.ts";

const parse = (text: string) => parseJson(new TextEncoder().encode(text), "test.json");

describe("parsing exact JSON", () => {
  it.each<[string, number | bigint | undefined]>([
    ["0", 0],
    ["-12", -12],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    ["18446744073709551615", 18446744073709551615n],
    ["18446744073709551616", undefined],
    ["1.5", undefined],
    ['"1"', undefined],
    ["1000000000000000000000000000000000000000000", undefined],
  ])("the JSON parser reads the integer of %s", (text, expected) => {
    expect(exactInt(parse(text))).toBe(expected);
  });

  it.each<[string, number | bigint | undefined]>([
    ["-12", -12],
    ["27670116110564327418", 27670116110564327418n],
    [`-1${"0".repeat(80)}`, -(10n ** 80n)],
    [`1${"0".repeat(120)}`, undefined],
    ["1.5", undefined],
  ])("the JSON parser reads the integer of Python %s", (text, expected) => {
    expect(pythonInt(parse(text))).toBe(expected);
  });

  it("the JSON parser keeps strings and floats, whatever digits they contain", () => {
    const text =
      '{"a": "id 9223372036854775807, \\"1234567890123456\\"", "b": 0.12345678901234567, "c": 1e+16, "d": []}';
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it("the JSON parser keeps long integers in values of unknown schema", () => {
    expect(plainJson(parse('[{"k": [9223372036854775807, 1]}]'))).toEqual([{ k: [9223372036854775807n, 1] }]);
    expect(plainJson(parse("[36893488147419103232]"))).toEqual([2n ** 65n]);
  });

  it("the JSON parser reads the bare non-finite numbers that Python writes", () => {
    const json = new JsonReader("test.json", "format.program");
    const numbers = json.list(parse('[NaN, Infinity, -Infinity, "NaN", 1e400]'), float);
    expect(numbers).toEqual([Number.NaN, Infinity, -Infinity, Number.NaN, Infinity]);
  });

  it.each([
    ["format.json", "{"],
    ["format.json", '{"a": 01}'],
    ["format.json", "[1,]"],
    ["format.json", '"\xff'],
    ["format.limit", "[".repeat(300)],
  ])("the JSON parser rejects with %s: %s", (code, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code }));
  });

  it("the JSON parser rejects a megabyte of brackets without a stack overflow", () => {
    expect(() => parse("[".repeat(1e6))).toThrow(expect.objectContaining({ code: "format.limit" }));
  });
});

describe("JSON reader", () => {
  const decode = (text: string) => {
    const json = new JsonReader("models/m.json", "format.program");
    return json.at(json.object(parse(text)), "rows", (reader, rows) =>
      reader.map(
        rows,
        listOf((inner, row) => inner.at(inner.object(row), "n", int)),
      ),
    );
  };

  it("the JSON reader decodes every kind of value", () => {
    expect(decode('{"rows": {"a": [{"n": 1}, {"n": 2}], "__proto__": []}}')).toEqual(
      new Map([
        ["a", [1, 2]],
        ["__proto__", []],
      ]),
    );
  });

  it.each([
    ['{"rows": {"a": [{"n": 1}, {"n": "x"}]}}', "$.rows.a[1].n"],
    ['{"rows": {"a b": [{}]}}', '$.rows["a b"][0].n'],
    ['{"rows": {"a": 3}}', "$.rows.a"],
    ["{}", "$.rows"],
  ])("the JSON reader names the path of an error: %s", (text, path) => {
    expect(() => decode(text)).toThrow(expect.objectContaining({ details: { entry: "models/m.json", path } }));
  });

  it.each([
    ['{"as_z": 1}', "no known variant"],
    ['{"as_a": "x", "as_b": "y"}', "two variants"],
    ['{"as_a": null}', "no known variant"],
    ['{"constructor": "x"}', "no known variant"],
  ])("the JSON reader rejects the union %s: %s", (text, message) => {
    const json = new JsonReader("r", "format.program");
    expect(() => json.variant(parse(text), { as_a: string, as_b: string }, "a thing")).toThrow(message);
  });
});

it("the JSON writer writes JSON that Python reads back as the same types", () => {
  const floats = [1, -0, 0.5, 1e21, Number.NaN, -Infinity].map((value) => new JsonFloat(value));
  const text = writeJson({ floats, ints: [1, 2n ** 63n - 1n], map: new Map([["k\n", null]]) });
  expect(text).toBe(
    '{"floats": [1.0, -0.0, 0.5, 1e+21, "NaN", "-Infinity"], "ints": [1, 9223372036854775807], "map": {"k\\n": null}}',
  );
});
