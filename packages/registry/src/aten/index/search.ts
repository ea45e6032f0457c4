import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Where values belong in a sorted sequence, and whether they are in a set. */
export const SEARCH_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
    { decompose: ({ self, ...args }, b) => search(b, self, args) },
  ),
  defineOp(
    "aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
    { decompose: ({ self, ...args }, b) => search(b, self, args) },
  ),
  defineOp(
    "aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
    {
      decompose: ({ self, boundaries, ...options }, b) => bucketize(b, self, boundaries, options),
    },
  ),
  defineOp(
    "aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
    {
      decompose: ({ self, boundaries, ...options }, b) => bucketize(b, self, boundaries, options),
    },
  ),
  defineOp(
    "aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
    { decompose: ({ elements, test_elements, invert }, b) => member(b, elements, test_elements, invert) },
  ),
  defineOp(
    "aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor",
    {
      decompose: ({ elements, test_element, invert }, b) =>
        invert ? emit(b).ne(elements, test_element) : emit(b).eq(elements, test_element),
    },
  ),
  defineOp(
    "aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
    {
      decompose: ({ element, test_elements, invert }, b) => found(b, emit(b).eq(test_elements, element), null, invert),
    },
  ),
];

interface Search {
  readonly sorted_sequence: TensorMeta;
  readonly out_int32: boolean;
  readonly right: boolean;
  readonly side: string | null;
  readonly sorter: TensorMeta | null;
}

/** Counts the boundaries below each value: rows × boundaries comparisons, without a branch. */
function search(b: Builder, self: TensorMeta | Scalar, args: Search): TensorMeta {
  const e = emit(b);
  const { sorted_sequence: sequence, sorter, side } = args;
  check(
    side === null || side === "left" || side === "right",
    () => `torch.searchsorted(): side can only be 'left' or 'right' but got ${side}`,
  );
  const sorted = sorter === null ? sequence : b.tensor("aten::gather", { self: sequence, dim: -1, index: sorter });
  const right = args.right || side === "right";
  const compare = right ? e.le : e.lt;
  const result = (below: TensorMeta): TensorMeta => e.cast(e.sum(below, [-1]), args.out_int32 ? "int32" : "int64");
  if (!isTensor(self)) {
    check(
      sequence.shape.length === 1,
      "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1",
    );
    return result(compare(sorted, self));
  }
  const aligned =
    sequence.shape.length === 1 ||
    (self.shape.length === sequence.shape.length && self.shape.slice(0, -1).every((n, i) => n === sequence.shape[i]));
  check(
    aligned,
    () =>
      `torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor ${show(sequence.shape)} and input value tensor ${show(self.shape)}`,
  );
  return result(compare(sequence.shape.length === 1 ? sorted : e.unsqueeze(sorted, -2), e.unsqueeze(self, -1)));
}

function bucketize(
  b: Builder,
  self: TensorMeta | Scalar,
  boundaries: TensorMeta,
  options: { readonly out_int32: boolean; readonly right: boolean },
): TensorMeta {
  check(
    boundaries.shape.length === 1,
    () => `bucketize(): boundaries tensor must be 1 dimension, but got dim(${boundaries.shape.length})`,
  );
  return search(b, self, { sorted_sequence: boundaries, side: null, sorter: null, ...options });
}

function member(b: Builder, elements: TensorMeta, tests: TensorMeta, invert: boolean): TensorMeta {
  const e = emit(b);
  const equal = e.eq(e.unsqueeze(elements, -1), e.reshape(tests, [numel(tests.shape)]));
  return found(b, equal, -1, invert);
}

function found(b: Builder, equal: TensorMeta, dim: number | null, invert: boolean): TensorMeta {
  const any = b.tensor("aten::any.dims", { self: equal, dim: dim === null ? null : [dim] });
  return invert ? b.tensor("aten::logical_not", { self: any }) : any;
}

function isTensor(value: TensorMeta | Scalar): value is TensorMeta {
  return typeof value === "object" && "shape" in value;
}
