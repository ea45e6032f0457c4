import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf } from "@pt2/conformance";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { WasmBackend } from "../../backend.ts";
import { divided } from "../../threads/divided.test-helper.ts";

type Floats = "float32" | "float64";

function random(dtype: Floats, seed: number, shape: readonly number[]): HostTensor {
  const unit = randomUnit(seed);
  const numbers = Array.from({ length: shape.reduce((product, size) => product * size, 1) }, () => 2 * unit() - 1);
  return hostTensor(dtype, shape, dtype === "float32" ? Float32Array.from(numbers) : Float64Array.from(numbers));
}

const numbersOf = (tensor: HostTensor): Float32Array | Float64Array => tensor.data as Float32Array | Float64Array;

/** How operands are read: as transposes, or every second one of the last dimension only. */
interface Given {
  readonly transposed?: readonly ("x" | "y")[];
  readonly halved?: "x" | "y";
}

/** Multiplies matrices, or stacks of them. */
async function multiply(x: HostTensor, y: HostTensor, given: Given, threads: number): Promise<HostTensor> {
  await using backend = new WasmBackend(threads > 1 ? divided(threads) : undefined);
  const type = x.dtype === "float32" ? "f32" : "f64";
  const lines: string[] = [];
  const shapes = { x: [...x.shape], y: [...y.shape] };
  const names = { x: "%x", y: "%y" };
  for (const side of ["x", "y"] as const) {
    const shape = shapes[side];
    const last = shape.length - 1;
    if (given.halved === side) {
      shape[last] = Math.ceil(shape[last]! / 2);
      lines.push(
        `%h${side}: ${type}[${shape}] = aten::slice.Tensor(self=${names[side]}, dim=${last}, start=0, end=9999, step=2)`,
      );
      names[side] = `%h${side}`;
    }
    if (given.transposed?.includes(side) !== true) continue;
    shape.push(...shape.splice(last - 1, 2).reverse());
    lines.push(
      `%t${side}: ${type}[${shape}] = aten::transpose.int(self=${names[side]}, dim0=${last - 1}, dim1=${last})`,
    );
    names[side] = `%t${side}`;
  }
  const result = [...shapes.x.slice(0, -1), shapes.y.at(-1)!];
  const body = `
    user_input %x: ${type}[${x.shape}]
    user_input %y: ${type}[${y.shape}]
    ${lines.join("\n")}
    %z: ${type}[${result}] = aten::${result.length === 3 ? "bmm" : "mm"}(self=${names.x}, mat2=${names.y})
    return %z`;
  const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry: registryOf() });
  return ((await executable.run([x, y])) as readonly HostTensor[])[0]!;
}

/** The elements of an operand as `multiply` reads them, and their shape. */
function read(
  tensor: HostTensor,
  side: "x" | "y",
  { transposed = [], halved }: Given,
): [at: number[], shape: number[]] {
  const shape = [1, ...tensor.shape].slice(-3);
  const step = halved === side ? 2 : 1;
  const [batch, rows, columns] = [shape[0]!, shape[1]!, Math.ceil(shape[2]! / step)];
  const isTransposed = transposed.includes(side);
  const size = rows * columns;
  const at = Array.from({ length: batch * size }, (_, i) => {
    const [b, rest] = [Math.floor(i / size), i % size];
    const [r, c] = isTransposed ? [rest % rows, Math.floor(rest / rows)] : [Math.floor(rest / columns), rest % columns];
    return (b * rows + r) * shape[2]! + c * step;
  });
  return [at, isTransposed ? [batch, columns, rows] : [batch, rows, columns]];
}

const CASES = [
  // Rows by a vector, a vector by rows, one by one, in stacks and alone, and whatever lies apart.
  ["N is 1", [3, 7, 37], [3, 37, 1], {}],
  ["N is 1, transposed", [3, 7, 37], [3, 1, 37], { transposed: ["y"] }],
  ["N is 1, columns", [3, 37, 7], [3, 37, 1], { transposed: ["x"] }],
  ["M is 1", [2, 1, 19], [2, 5, 19], { transposed: ["y"] }],
  ["M is 1, columns", [2, 1, 19], [2, 19, 5], {}],
  ["M is 1, many columns", [3, 1, 23], [3, 23, 67], {}],
  ["both are 1", [300, 1, 100], [300, 100, 1], {}],
  ["both are 1, elements apart", [3, 1, 101], [3, 51, 7], { halved: "x", transposed: [] }],
  ["K is 1", [4, 1, 1], [4, 1, 6], {}],
  ["K is 3", [500, 3, 3], [500, 3, 1], {}],
  ["K is 0", [2, 3, 0], [2, 0, 1], {}],
  ["no columns", [2, 1, 3], [2, 3, 0], {}],
  ["a matrix by a vector", [61, 101], [101, 1], {}],
  ["a transposed matrix by a vector", [101, 61], [101, 1], { transposed: ["x"] }],
  ["every second column by a vector", [13, 101], [51, 1], { halved: "x" }],
  ["a vector by a matrix", [1, 101], [101, 83], {}],
  ["a vector by a transposed matrix", [1, 101], [83, 101], { transposed: ["y"] }],
  ["a vector by every second column", [1, 29], [29, 41], { halved: "y" }],
  ["a column by a matrix", [29, 1], [29, 41], { transposed: ["x"] }],
  ["two vectors", [1, 1009], [1009, 1], {}],
  ["three rows by a matrix", [2, 3, 19], [2, 19, 67], {}],
  ["four rows, which lie apart, by a matrix", [1, 23, 4], [1, 23, 1201], { transposed: ["x"] }],
  ["two rows by a transposed matrix", [2, 19], [67, 19], { transposed: ["y"] }],
  ["a transposed matrix by three columns", [2, 19, 71], [2, 19, 3], { transposed: ["x"] }],
  ["a transposed matrix by two columns", [5, 2053], [5, 2], { transposed: ["x"] }],
  ["a transposed matrix by columns that lie apart", [19, 71], [3, 19], { transposed: ["x", "y"] }],
  ["vectors of nothing", [1, 0], [0, 1], {}],
] as const satisfies readonly (readonly [string, readonly number[], readonly number[], Given])[];

test.each((["float32", "float64"] as const).flatMap((dtype) => CASES.map((one) => [dtype, ...one] as const)))(
  "products of matrices and vectors of %s: %s",
  async (dtype, _, xShape, yShape, given) => {
    const [x, y] = [random(dtype, 1, xShape), random(dtype, 2, yShape)];
    const got = await multiply(x, y, given, 1);
    const [[xAt, xRead], [yAt, yRead]] = [read(x, "x", given), read(y, "y", given)];
    const [xs, ys, zs] = [x, y, got].map(numbersOf);
    const [m, k, n] = [xRead[1]!, xRead[2]!, yRead[2]!];
    expect(yRead[1]).toBe(k);
    for (let i = 0; i < zs!.length; i++) {
      const [p, r, c] = [Math.floor(i / (m * n)), Math.floor(i / n) % m, i % n];
      let want = 0;
      for (let j = 0; j < k; j++) want += xs![xAt[(p * m + r) * k + j]!]! * ys![yAt[(p * k + j) * n + c]!]!;
      expect(Math.abs(zs![i]! - want)).toBeLessThan(dtype === "float32" ? 1e-5 : 1e-13);
    }
    for (const threads of [2, 5]) {
      const again = await multiply(x, y, given, threads);
      expect(Buffer.from(again.bytes).equals(Buffer.from(got.bytes))).toBe(true);
    }
  },
);

test.each(["float32", "float64"] as const)(
  "a NaN or an infinity of %s reaches the sums that it belongs to",
  async (dtype) => {
    const [x, y] = [random(dtype, 3, [11, 13]), random(dtype, 4, [13, 1])];
    const data = numbersOf(x);
    [data[2 * 13 + 12], data[5 * 13], data[7 * 13 + 3]] = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ];
    const got = numbersOf(await multiply(x, y, {}, 1));
    expect([...got].map((value) => Number.isFinite(value))).toEqual([..."11011010111"].map((flag) => flag === "1"));
    expect(got[2]).toBeNaN();
    const transposed = numbersOf(await multiply(random(dtype, 4, [1, 13]), x, { transposed: ["y"] }, 1));
    expect([...transposed].map((value) => Number.isFinite(value))).toEqual(
      [...got].map((value) => Number.isFinite(value)),
    );
  },
);
