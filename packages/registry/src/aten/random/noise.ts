import { defineOp, type OpRecord } from "../../op.ts";

const impure = true;

/** What a backend brings, and all other random ops are made of. */
export const NOISE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { impure, infer: ({ size, dtype }) => ({ dtype: dtype ?? "float32", shape: size }) },
  ),
  defineOp(
    "aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { impure, infer: ({ size, dtype }) => ({ dtype: dtype ?? "float32", shape: size }) },
  ),
];
