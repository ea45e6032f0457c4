import { CpuGenerator } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { hostArray, hostData } from "../host-array.ts";
import { LINALG } from "./kernels.ts";

const next = randomUnit(5);

/** Matrices of all kinds: some are diagonal, some singular, some of large numbers, and some symmetric. */
function kindsOf(dtype: DType, count: number, n: number): readonly (readonly number[])[] {
  const parts = dtype === "complex128" ? 2 : 1;
  return Array.from({ length: count }, (_, kind) => {
    const a = Float64Array.from({ length: n * n * parts }, () => next() - 0.5);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        for (let part = 0; part < parts; part++) {
          const at = parts * (i * n + j) + part;
          if (kind % 5 === 1 && i !== j) a[at] = 0;
          if (kind % 5 === 2 && i === n - 1) a[at] = a[part + parts * j]!;
          if (kind % 5 === 3) a[at]! *= 1e9;
          if (kind % 5 === 4) a[at] = i === j ? n + (part === 0 ? 1 : -n) : a[parts * (j * n + i) + part]!;
        }
      }
    }
    return [...a];
  });
}

const OPS: readonly (readonly [op: string, args: Record<string, unknown>])[] = [
  ["linalg_lu_factor_ex", { A: null, pivot: true, check_errors: false }],
  ["linalg_lu_factor_ex", { A: null, pivot: false, check_errors: false }],
  ["linalg_det", { A: null }],
  ["linalg_slogdet", { A: null }],
  ["linalg_inv_ex", { A: null, check_errors: false }],
  ["linalg_solve_triangular", { self: null, B: null, upper: true, left: false, unitriangular: false }],
  ["linalg_cholesky_ex", { self: null, upper: true, check_errors: false }],
  ["linalg_ldl_factor_ex", { self: null, hermitian: false, check_errors: false }],
  ["geqrf", { self: null }],
  ["linalg_eigh", { self: null, UPLO: "L" }],
  ["linalg_eigvalsh", { self: null, UPLO: "U" }],
  ["linalg_eig", { self: null }],
  ["linalg_svd", { A: null, full_matrices: false }],
  ["linalg_svdvals", { A: null }],
  ["linalg_matrix_exp", { self: null }],
];

/** Runs an op, and returns the numbers of its results. */
function resultsOf(
  op: string,
  given: Record<string, unknown>,
  dtype: DType,
  matrices: readonly (readonly number[])[],
  n: number,
): readonly (readonly number[])[] {
  const kernel = LINALG.find(({ ops }) => ops.includes(`aten::${op}`))!;
  const meta: TensorMeta = { dtype, shape: [matrices.length, n, n] };
  const args = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? meta]));
  const data = hostData(meta, matrices.flat());
  const call = {
    array: () => hostArray(data),
    bigints: () => new BigInt64Array(),
    bytes: () => new Uint8Array(),
    shape: () => meta.shape,
    dtype: () => "float64" as const,
    random: () => new CpuGenerator(0),
  };
  const found = kernel.run(call, args as never);
  return found.map((numbers) => Array.from(numbers as ArrayLike<number>));
}

test.each(["float64", "complex128"] as const)(
  "matrices of %s in a batch are as each by itself, in any order",
  (dtype) => {
    for (const n of [1, 2, 3, 8, 33]) {
      const matrices = kindsOf(dtype, 6, n);
      for (const [op, args] of OPS) {
        const each = matrices.map((matrix) => resultsOf(op, args, dtype, [matrix], n));
        const all = each[0]!.map((_, k) => each.flatMap((results) => results[k]!));
        expect(resultsOf(op, args, dtype, matrices, n), `${op} of ${n} rows`).toEqual(all);
      }
    }
  },
);
