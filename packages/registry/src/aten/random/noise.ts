import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { partOf } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { checkFloating, isComplex, isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

const impure = true;

/** Defines uniform and normal numbers, which a backend provides. */
export const NOISE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      impure,
      infer: ({ size, dtype }) => noise(size, dtype),
      decompose: ({ size, dtype }, b) => complexNoise("aten::rand", size, dtype, 1, b),
    },
  ),
  defineOp(
    "aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      impure,
      infer: ({ size, dtype }) => noise(size, dtype),
      // The two parts share the variance 1 equally.
      decompose: ({ size, dtype }, b) => complexNoise("aten::randn", size, dtype, Math.SQRT1_2, b),
    },
  ),
];

function noise(shape: readonly number[], dtype: DType | null): TensorMeta {
  check(
    dtype === null || !isIntegral(dtype),
    () => `random numbers of a distribution are not implemented for ${dtype}`,
  );
  return { dtype: dtype ?? "float32", shape };
}

/** Infers what an op gives that fills a tensor with random numbers of a distribution. */
export function randomLike({ dtype, shape }: TensorMeta): TensorMeta {
  checkFloating("random numbers of a distribution", { dtype, shape });
  return { dtype, shape };
}

/** Makes complex numbers with random parts; returns null for real dtypes. */
function complexNoise(
  op: "aten::rand" | "aten::randn",
  size: readonly number[],
  dtype: DType | null,
  scale: number,
  b: Builder,
): TensorMeta | null {
  if (dtype === null || !isComplex(dtype)) return null;
  const parts = b.tensor(op, { size: [...size, 2], dtype: partOf(dtype) });
  return b.tensor("aten::view_as_complex", { self: scale === 1 ? parts : emit(b).mul(parts, { float: scale }) });
}
