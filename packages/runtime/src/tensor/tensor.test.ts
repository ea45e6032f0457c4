import { expect, it } from "vitest";
import { arange, full, ones, zeros } from "./factories.ts";
import { tensor } from "./tensor.ts";

/** An array in this many others. */
function nested(depth: number): unknown {
  let rows: unknown = 1;
  for (let i = 0; i < depth; i++) rows = [rows];
  return rows;
}

function inItself(): unknown {
  const rows: unknown[] = [];
  rows.push(rows);
  return rows;
}

/** The type of calls from plain JavaScript. */
const make = tensor as (...args: readonly unknown[]) => unknown;

it.each<[string, readonly unknown[], RegExp]>([
  ["a name of another library", ["torch.float32", [1], [0]], /`torch.float32` is not a dtype\n.*Write "float32"/],
  ["no dtype", [undefined, [1], [0]], /^undefined is not a dtype/],
  ["a member of Object", ["constructor", [1], [0]], /is not a dtype/],
  ["a fraction of a size", ["float32", [1.5, 2], [0, 0, 0]], /\[1.5, 2\] is not a shape/],
  ["a negative size", ["float32", [-1, 3], [0, 0, 0]], /\[-1, 3\] is not a shape/],
  ["a size that is a text", ["float32", ["2"], [0, 0]], /\[2\] is not a shape/],
  ["a number for a shape", ["float32", 3, [0, 0, 0]], /^3 was given as the shape/],
  ["too few elements", ["float32", [2, 2], [0, 0, 0]], /Float32Array of 4 elements, got a Float32Array of 3/],
  ["pairs of half the length", ["complex64", [2], new Float32Array(2)], /Float32Array of 4 elements, got .* of 2/],
  ["another array", ["float32", [2], new Float64Array(2)], /Float32Array of 2 elements, got a Float64Array of 2/],
  ["a view without elements", ["uint8", [2], new DataView(new ArrayBuffer(2))], /got a DataView/],
  [
    "rows in rows",
    [
      "float32",
      [2, 2],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    /elements are nested arrays\n.*rows.flat/,
  ],
  ["nothing", ["float32", [2], undefined], /undefined is not an array of elements/],
  ["a set", ["float32", [2], new Set([1, 2])], /a Set is not an array of elements/],
  ["an element that is undefined", [[1, undefined]], /undefined is not a valid float32 value/],
  // biome-ignore lint/suspicious/noSparseArray: what is refused
  ["an array with holes", [[1, , 2]], /undefined is not a valid float32 value/],
  ["nothing at all", [], /undefined is not a valid float32 value/],
  ["rows in thousands of rows", [nested(20_000)], /is an array of 1, where others are numbers/],
  ["an array in itself", [inItself()], /is an array of 1, where others are numbers/],
  [
    "the elements where the shape is",
    ["float32", new Float32Array(4), [2, 2]],
    /^a Float32Array was given as the shape/,
  ],
  ["a shape where options are", [new Float32Array(4), [2, 2]], /^tensor\(\) does not take `array`/],
  ["a text among elements", ["float32", [1], ["1"]], /^"1" is not a valid float32 value/],
  [
    "complex numbers as objects",
    ["complex64", [1], [{ re: 1, im: 2 }]],
    /not a valid complex64 value.*\n.*pairs of numbers/,
  ],
  ["a number for elements", ["float32", [], 7], /7 is not an array of elements/],
])("tensor() rejects %s", (_, args, message) => {
  expect(() => make(...args)).toThrow(message);
  try {
    make(...args);
  } catch (problem) {
    expect(problem).toMatchObject({
      name: "Pt2Error",
      code: expect.stringMatching(/^(runtime\.tensor|backend\.(tensor-data|options))$/),
    });
  }
});

it.each<[string, () => unknown, string, string?]>([
  ["tensor()", () => make([1], { dtpye: "int64" }), '{ dtpye: "int64" }', "dtype"],
  ["tensor()", () => make([1], 5), "5"],
  ["zeros()", () => zeros([2], { dtpye: "int64" } as object), '{ dtpye: "int64" }', "dtype"],
  ["zeros()", () => zeros([2], null as never), "null"],
  ["ones()", () => ones([2], { shape: [2] } as object), "{ shape: array }"],
  ["full()", () => full([2], 1, { dtype: 5 } as object), "{ dtype: 5 }"],
  ["arange()", () => arange(3, { step: 2 } as object), "{ step: 2 }"],
])("%s rejects options %#", (of, work, given, meant) => {
  const what = `${of} does not take \`${given}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`;
  expect(work).toThrow(expect.objectContaining({ code: "backend.options", what }));
});

it("full() needs a value", () => {
  expect(() => full([2], undefined as never)).toThrow(expect.objectContaining({ code: "runtime.tensor" }));
});

it("tensor() takes its dtype from all elements", () => {
  const made = (elements: unknown): unknown => {
    const { dtype, data } = tensor(elements as readonly number[]);
    return [dtype, Array.from(data as ArrayLike<number | bigint>)];
  };
  expect(made([true, false])).toEqual(["bool", [1, 0]]);
  expect(made([true, 0.5])).toEqual(["float32", [1, 0.5]]);
  expect(made([[false], [2]])).toEqual(["float32", [0, 2]]);
  expect(made([true, 3n])).toEqual(["int64", [1n, 3n]]);
  expect(made([2, 3n])).toEqual(["int64", [2n, 3n]]);
  expect(made([])).toEqual(["float32", []]);
});

it("tensor() accepts valid data", () => {
  expect(tensor("float32", [], [7]).data).toEqual(Float32Array.of(7));
  expect(tensor("int64", [0, 3], []).data).toEqual(new BigInt64Array(0));
});
