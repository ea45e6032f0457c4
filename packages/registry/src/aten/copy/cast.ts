import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { computeDtype } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord, type Promotion } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";

/**
 * Defines conversions. Devices and layouts of the exporting machine are ignored, and a conversion to a tensor's own
 * dtype is the tensor itself: nothing writes to a lowered tensor.
 */
export const CAST_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
    { scalar: (x) => x, promote: ({ self, dtype }) => to(dtype ?? self.dtype) },
  ),
  defineOp(
    "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    { decompose: ({ self, dtype }, b) => cast(self, dtype, b) },
  ),
  defineOp(
    "aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    { decompose: ({ self, dtype }, b) => cast(self, dtype, b) },
  ),
  defineOp(
    "aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    { decompose: ({ self, dtype }, b) => cast(self, dtype, b) },
  ),
  defineOp(
    "aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    { decompose: ({ self, other }, b) => cast(self, other.dtype, b) },
  ),
  defineOp("aten::type_as(Tensor self, Tensor other) -> Tensor", {
    decompose: ({ self, other }, b) => cast(self, other.dtype, b),
  }),
  defineOp("aten::_autocast_to_full_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled) -> Tensor(a)", {
    decompose: ({ self }, b) => cast(self, computeDtype(self.dtype), b),
  }),
  ...(
    [
      ["Byte", "uint8"],
      ["Char", "int8"],
      ["Short", "int16"],
      ["Int", "int32"],
      ["Long", "int64"],
      ["Half", "float16"],
      ["Float", "float32"],
      ["Double", "float64"],
    ] as const
  ).map(([name, dtype]) =>
    defineOp(`aten::_cast_${name}(Tensor self, bool non_blocking=False) -> Tensor`, {
      decompose: ({ self }, b) => cast(self, dtype, b),
    }),
  ),
];

function to(result: DType): Promotion {
  return { kind: "first", result };
}

function cast(self: TensorMeta, dtype: DType | null, b: Builder): TensorMeta {
  return dtype === null || dtype === self.dtype ? self : b.tensor("aten::_to_copy", { self, dtype });
}
