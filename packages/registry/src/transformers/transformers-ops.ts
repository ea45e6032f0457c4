import { DTYPES } from "@pt2/format";
import { check } from "../aten/support/check.ts";
import { emit } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import { defineOp } from "../op.ts";
import type { OpSet } from "../op-set.ts";
import type { TensorMeta } from "../tensor-meta.ts";

/** Ops of Hugging Face's transformers in exported programs. */
export const transformers: OpSet = {
  name: "transformers",
  builtIn: true,
  ops: [
    // These ops stand for `_grouped_mm` and its gradients where it may have no kernel: they take every dtype and size.
    defineOp("transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor", {
      decompose: ({ input, weight, offs }, b) =>
        product(b, widened(b, input, 1), widened(b, weight, 2), offs, [input.shape[0]!, weight.shape[2]!]),
    }),
    defineOp(
      "transformers::grouped_mm_fallback_backward(Tensor input, Tensor weight, Tensor offs, Tensor grad_output) -> (Tensor, Tensor)",
      {
        decompose: ({ input, weight, offs, grad_output }, b) => {
          const e = emit(b);
          const grad = widened(b, grad_output, 1);
          const [x, w] = [widened(b, input, 1), widened(b, weight, 2)];
          return [
            product(b, grad, e.transpose(w, 1, 2), offs, input.shape),
            product(b, e.transpose(x, 0, 1), grad, offs, weight.shape),
          ];
        },
      },
    ),
  ],
};

/** Rows of what `_grouped_mm` takes begin at multiples of as many bytes. */
const ROW_BYTES = 16;

/** Emits zeros behind the elements of the last dims, where `_grouped_mm` would refuse their sizes. */
function widened(b: Builder, self: TensorMeta, dims: 1 | 2): TensorMeta {
  const whole = hasKernel(self) ? ROW_BYTES / DTYPES[self.dtype].itemsize : 1;
  const missing = self.shape.slice(-dims).map((size) => (whole - (size % whole)) % whole);
  if (missing.every((count) => count === 0)) return self;
  return b.tensor("aten::constant_pad_nd", { self, pad: missing.toReversed().flatMap((count) => [0, count]) });
}

/** Emits the products of groups, without what widened operands have more than `sizes`. */
function product(
  b: Builder,
  self: TensorMeta,
  mat2: TensorMeta,
  offs: TensorMeta,
  sizes: readonly number[],
): TensorMeta {
  const e = emit(b);
  check(
    offs.dtype === "int32" || offs.dtype === "int64",
    () => `grouped_mm_fallback: offs must be an integer tensor, got ${offs.dtype}`,
  );
  const made = hasKernel(self)
    ? b.tensor("aten::_grouped_mm", { self, mat2, offs: e.cast(offs, "int32") })
    : productOfMasked(b, self, mat2, offs);
  const cut = sizes.reduce((x, size, dim) => (x.shape[dim] === size ? x : e.slice(x, dim, 0, size)), made);
  if (mat2.shape.length === 2) return cut;
  // Rows of no group are zeros; PyTorch's kernel leaves them as they are in memory.
  const groups = offs.shape[0]!;
  const inside = e.lt(e.arange(self.shape[0]!, offs.dtype), e.slice(offs, 0, groups - 1, groups));
  return e.where(e.unsqueeze(inside, 1), cut, 0);
}

function hasKernel({ dtype }: TensorMeta): boolean {
  return dtype !== "float64";
}

/** Emits the products of groups where there is no kernel: of every group with what is not its own left out. */
function productOfMasked(b: Builder, self: TensorMeta, mat2: TensorMeta, offs: TensorMeta): TensorMeta {
  const e = emit(b);
  const bmm = (x: TensorMeta, y: TensorMeta): TensorMeta => b.tensor("aten::bmm", { self: x, mat2: y });
  const stacked = mat2.shape.length === 3;
  const [groups, size] = [offs.shape[0]!, self.shape[stacked ? 0 : 1]!];
  // The group of a position is the number of those that end before it.
  const group = e.sum(e.ge(e.arange(size, offs.dtype), e.unsqueeze(offs, 1)), [0]);
  const inside = e.eq(e.unsqueeze(e.arange(groups, "int64"), 1), group);
  const own = (x: TensorMeta, dim: number): TensorMeta => e.where(e.unsqueeze(inside, dim), x, 0);
  if (!stacked) return bmm(own(self, 1), own(mat2, 2));
  return e.sum(own(bmm(e.expand(self, [groups, ...self.shape]), mat2), 2), [0]);
}
