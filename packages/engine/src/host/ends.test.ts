// Series, rejections and iterations that end for every number: one that does not would never give this file back.
import { CpuGenerator } from "@pt2/backend";
import type { ArgValue, TensorMeta } from "@pt2/registry";
import { expect, test } from "vitest";
import { RandomState } from "../plan/random-state.ts";
import type { HostData } from "../staged/run-value.ts";
import { type HostCall, type HostKernel, runHostKernel } from "./host-kernel.ts";
import { LINALG } from "./linalg/kernels.ts";
import { RANDOM_KERNELS } from "./random/kernels.ts";
import { zeta } from "./special/gamma.ts";
import { SPECIAL } from "./special/kernels.ts";

const { NaN: none, POSITIVE_INFINITY: infinity } = Number;
const ODD = [
  ...[
    none,
    infinity,
    -infinity,
    0,
    -0,
    5e-324,
    -5e-324,
    1e-310,
    1e-300,
    1e-45,
    -1e-30,
    1e-8,
    0.5,
    1,
    -1,
    1.5,
    2,
    -63.5,
  ],
  ...[-64.5, 7, 100, -1e6 + 0.5, 1e10, -(2 ** 51) - 0.5, 2 ** 53, -(2 ** 60), 3e38, 1e300, -1e300, 1.7e308],
];

function tensor(shape: readonly number[], values: readonly number[]): HostData {
  return { dtype: "float64", shape, bytes: new Uint8Array(Float64Array.from(values).buffer) };
}

function run(kernel: HostKernel, given: Readonly<Record<string, HostData>>, shape: readonly number[]): number {
  // The metas are the data themselves.
  const dataOf = (argument: TensorMeta): HostData => argument as TensorMeta & HostData;
  const results = [{ dtype: "float64", shape } as const];
  const request = { args: given, tensor: dataOf, results, random: new RandomState() };
  return runHostKernel(kernel, request)[0]!.bytes.byteLength / 8;
}

const ELEMENTWISE = [...SPECIAL, ...RANDOM_KERNELS.filter(({ ops }) => /poisson|::binomial|gamma/.test(ops[0]!))];

test.each(ELEMENTWISE.map((kernel) => [kernel.ops[0]!, kernel] as const))("%s", (op, kernel) => {
  // A degree of a polynomial has a limit, which the kernel states.
  const second = /polynomial/.test(op) ? ODD.filter((n) => !(n > 1000)) : ODD;
  // A negative rate is refused.
  const first = /poisson/.test(op) ? ODD.map(Math.abs).map((rate) => (Number.isNaN(rate) ? 0 : rate)) : ODD;
  const [rows, columns] = [tensor([ODD.length, 1], first), tensor([second.length], second)];
  const names = { self: rows, x: rows, count: rows, other: columns, n: columns, prob: columns };
  const isBinary = /igamma|zeta|polynomial|binomial/.test(op);
  const shape = isBinary ? [ODD.length, second.length] : [ODD.length, 1];
  expect(run(kernel, names, shape)).toBe(shape[0]! * shape[1]!);
});

test.each(["linalg_eig", "linalg_eigh", "linalg_svd", "linalg_matrix_exp", "linalg_det", "geqrf"])("aten::%s", (op) => {
  const kernel = LINALG.find(({ ops }) => ops[0] === `aten::${op}` || ops[0] === `aten::_${op}`)!;
  const generator = new CpuGenerator(7);
  const next = (end: number): number => Math.floor(generator.uniform() * end);
  for (let i = 0; i < 200; i++) {
    const matrix = Array.from({ length: 9 }, () => (next(3) === 0 ? ODD[next(ODD.length)]! : next(9) - 4));
    expect(() => runOf(kernel, matrix)).not.toThrow();
  }
});

function runOf(kernel: HostKernel, matrix: readonly number[]): void {
  const meta: TensorMeta = { dtype: "float64", shape: [3, 3] };
  const args: Readonly<Record<string, ArgValue>> = {
    self: meta,
    A: meta,
    full_matrices: true,
    compute_uv: true,
    UPLO: "L",
    driver: null,
  };
  const call: HostCall = {
    array: () => ({ shape: [3, 3], complex: false, data: Float64Array.from(matrix) }),
    bigints: () => new BigInt64Array(),
    bytes: () => new Uint8Array(),
    shape: () => [3, 3],
    dtype: () => "float64",
    random: () => new CpuGenerator(0),
  };
  kernel.run(call, args);
}

test("zeta far below zero is a sum of as many terms as there are", () => {
  let sum = 0;
  for (let at = -99.5; at < 12; at++) sum += at ** -3;
  expect(zeta(3, -99.5)).toBeCloseTo(sum + zeta(3, 12.5), 14);
});
