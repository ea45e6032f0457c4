import { defineOp, type OpRecord } from "../../op.ts";
import { check } from "../support/check.ts";
import { numel } from "../support/dims.ts";

/** Defines what gives tensors other shapes, and joins them. */
export const SHAPE_PRIMS: readonly OpRecord[] = [
  defineOp("prims::broadcast_in_dim(Tensor(a) a, SymInt[] shape, int[] broadcast_dimensions) -> Tensor(a)", {
    decompose({ a, shape, broadcast_dimensions: at }, b) {
      check(at.length === a.shape.length, () => `each of ${a.shape.length} dimensions needs a place, got ${at.length}`);
      const aligned = shape.map((_, dim) => a.shape[at.indexOf(dim)] ?? 1);
      return b.tensor("aten::expand", { self: b.tensor("aten::view", { self: a, size: aligned }), size: shape });
    },
  }),
  ...(
    [
      "collapse(Tensor a, int start, int end) -> Tensor",
      "collapse_view(Tensor(a) a, int start, int end) -> Tensor(a)",
    ] as const
  ).map((schema) =>
    defineOp(`prims::${schema}`, {
      decompose({ a, start, end }, b) {
        const size = numel(a.shape.slice(start, end + 1));
        const shape = a.shape.length === 0 ? [1] : [...a.shape.slice(0, start), size, ...a.shape.slice(end + 1)];
        return b.tensor("aten::reshape", { self: a, shape });
      },
    }),
  ),
  defineOp("prims::split_dim(Tensor(a) a, int dim, SymInt outer_length) -> Tensor(a)", {
    decompose({ a, dim, outer_length: outer }, b) {
      const size = a.shape[dim] ?? 1;
      check(outer > 0 && size % outer === 0, () => `a dimension of ${size} cannot be split in ${outer}`);
      const shape = [...a.shape.slice(0, dim), outer, size / outer, ...a.shape.slice(dim + 1)];
      return b.tensor("aten::reshape", { self: a, shape });
    },
  }),
  defineOp("prims::squeeze(Tensor(a) a, int[] dimensions) -> Tensor(a)", {
    decompose: ({ a, dimensions }, b) => b.tensor("aten::squeeze.dims", { self: a, dim: dimensions }),
  }),
  defineOp("prims::transpose(Tensor(a) a, int[] permutation) -> Tensor(a)", {
    decompose: ({ a, permutation }, b) => b.tensor("aten::permute", { self: a, dims: permutation }),
  }),
  defineOp("prims::reshape(Tensor a, SymInt[] shape) -> Tensor", {
    decompose: ({ a, shape }, b) => b.tensor("aten::reshape", { self: a, shape }),
  }),
  defineOp("prims::cat(Tensor[] tensors, int dim) -> Tensor", {
    decompose: ({ tensors, dim }, b) => b.tensor("aten::cat", { tensors, dim }),
  }),
  defineOp("prims::rev(Tensor a, int[] dims) -> Tensor", {
    decompose: ({ a, dims }, b) => b.tensor("aten::flip", { self: a, dims }),
  }),
  defineOp(
    "prims::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt storage_offset) -> Tensor",
    { decompose: (args, b) => b.tensor("aten::as_strided_scatter", args) },
  ),
  defineOp("prims::view_of(Tensor(a) a) -> Tensor(a)", {
    decompose: ({ a }, b) => b.tensor("aten::alias", { self: a }),
  }),
  defineOp("prims::view_of_dtype(Tensor(a) a, ScalarType dtype) -> Tensor(a)", {
    decompose: ({ a, dtype }, b) => b.tensor("aten::view.dtype", { self: a, dtype }),
  }),
  ...(["conj", "real", "imag"] as const).map((name) =>
    defineOp(`prims::${name}(Tensor(a) ${name === "conj" ? "a" : "self"}) -> Tensor(a)`, {
      decompose: (args, b) => b.tensor(`aten::${name}`, { self: Object.values(args)[0]! }),
    }),
  ),
  defineOp("prims::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", {
    decompose: (args, b) => b.tensor("aten::clone", args),
  }),
  defineOp("prims::copy_strided(Tensor a, SymInt[] stride) -> Tensor", {
    decompose: ({ a }, b) => b.tensor("aten::clone", { self: a }),
  }),
  // Devices of the exporting machine are ignored.
  defineOp("prims::device_put(Tensor a, Device device, bool non_blocking=False) -> Tensor", {
    decompose: ({ a }, b) => b.tensor("aten::alias", { self: a }),
  }),
];
