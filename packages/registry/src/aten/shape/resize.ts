import { defineOp, type OpRecord } from "../../op.ts";
import { numel } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/**
 * Defines ops that change the size and keep the elements in their order. PyTorch leaves further elements undefined;
 * here they are zero.
 */
export const RESIZE_OPS: readonly OpRecord[] = [
  defineOp("aten::resize(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor", {
    decompose({ self, size }, b) {
      const { reshape } = emit(b);
      const [had, wanted] = [numel(self.shape), numel(size)];
      const flat = reshape(self, [had]);
      const fitted =
        wanted <= had
          ? b.tensor("aten::slice.Tensor", { self: flat, dim: 0, start: 0, end: wanted })
          : b.tensor("aten::constant_pad_nd", { self: flat, pad: [0, wanted - had] });
      return reshape(fitted, size);
    },
  }),
  // This is the only in-place op whose result has another shape than the tensor it writes to.
  defineOp("aten::resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)", {
    infer: ({ self, size }) => ({ dtype: self.dtype, shape: size }),
    decompose: ({ self, size }, b) => b.tensor("aten::resize", { self, size }),
  }),
];
