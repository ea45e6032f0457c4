import type { TensorMeta } from "@pt2/registry";
import { expect, it } from "vitest";
import { RandomState } from "../plan/random-state.ts";
import type { HostData } from "../staged/run-value.ts";
import { hostElementwise } from "./host-elementwise.ts";
import { runHostKernel } from "./host-kernel.ts";

const pair = hostElementwise(
  "aten::igamma",
  ({ self, other }) => [self, other],
  (x, y) => 1000 * x + y,
);
const single = hostElementwise(
  "aten::i0",
  ({ self }) => [self],
  (x) => x + 0.5,
);

function tensor(shape: readonly number[], first = 0): HostData & TensorMeta {
  const values = Float64Array.from({ length: shape.reduce((size, n) => size * n, 1) }, (_, i) => first + i);
  return { dtype: "float64", shape, bytes: new Uint8Array(values.buffer) };
}

function run(kernel: typeof pair, args: Readonly<Record<string, HostData>>, shape: readonly number[]): Float64Array {
  const [result] = runHostKernel(kernel, {
    args,
    tensor: (argument) => argument as TensorMeta & HostData,
    results: [{ dtype: "float64", shape }],
    random: new RandomState(),
  });
  return new Float64Array(result!.bytes.buffer);
}

it.each<[readonly number[], readonly number[], readonly number[]]>([
  [
    [2, 3],
    [2, 3],
    [2, 3],
  ],
  [[2, 3], [3], [2, 3]],
  [[2, 1], [3], [2, 3]],
  [[], [2, 3], [2, 3]],
  [
    [2, 3],
    [1, 1],
    [2, 3],
  ],
  [
    [1, 3],
    [2, 1, 3],
    [2, 1, 3],
  ],
  [
    [4, 1, 2],
    [3, 1],
    [4, 3, 2],
  ],
  [[], [], []],
  [[0, 3], [3], [0, 3]],
  [[1], [0], [0]],
])("operands of shapes %j and %j are paired in %j", (left, right, shape) => {
  const at = (own: readonly number[], index: readonly number[]): number =>
    own.reduce((flat, n, d) => flat * n + (n === 1 ? 0 : index[d + index.length - own.length]!), 0);
  const length = shape.reduce((size, n) => size * n, 1);
  const given = Array.from({ length }, (_, flat) => {
    let rest = flat;
    const index = shape.map(() => 0);
    for (let d = shape.length - 1; d >= 0; d--) {
      index[d] = rest % shape[d]!;
      rest = Math.floor(rest / shape[d]!);
    }
    return 1000 * (at(left, index) + 1) + at(right, index);
  });
  expect([...run(pair, { self: tensor(left, 1), other: tensor(right) }, shape)]).toEqual(given);
});

it("an operand stays as it is, also one that is given twice", () => {
  const x = tensor([3]);
  expect([...run(pair, { self: x, other: x }, [3])]).toEqual([0, 1001, 2002]);
  expect([...run(single, { self: x }, [3])]).toEqual([0.5, 1.5, 2.5]);
  expect([...new Float64Array(x.bytes.buffer)]).toEqual([0, 1, 2]);
});
