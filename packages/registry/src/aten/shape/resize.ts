import { defineOp, type OpRecord } from "../../op.ts";
import { numel } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Another size over the same elements in their order. What goes beyond them PyTorch leaves open: zeros here. */
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
  // In place it is the one op whose result has another shape than what it writes to.
  defineOp("aten::resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)", {
    infer: ({ self, size }) => ({ dtype: self.dtype, shape: size }),
    decompose: ({ self, size }, b) => b.tensor("aten::resize", { self, size }),
  }),
];
