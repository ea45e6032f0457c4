import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { emit, type Operand } from "../support/emit.ts";

/** Defines searches in a sorted sequence, and tests whether values are in a set. */
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

function search(b: Builder, self: TensorMeta | Scalar, args: Search): TensorMeta {
  const e = emit(b);
  const { sorted_sequence: sequence, sorter, side } = args;
  check(
    side === null || side === "left" || side === "right",
    () => `torch.searchsorted(): side can only be 'left' or 'right' but got ${side}`,
  );
  const sorted = sorter === null ? sequence : b.tensor("aten::gather", { self: sequence, dim: -1, index: sorter });
  const right = args.right || side === "right";
  check(
    isTensor(self) || sequence.shape.length === 1,
    "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1",
  );
  check(
    sequence.shape.length > 0,
    "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension",
  );
  const shape = isTensor(self) ? self.shape : [];
  const aligned =
    sequence.shape.length === 1 ||
    (shape.length === sequence.shape.length && shape.slice(0, -1).every((n, i) => n === sequence.shape[i]));
  check(
    aligned,
    () =>
      `torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor ${show(sequence.shape)} and input value tensor ${show(shape)}`,
  );
  return e.cast(bisect(b, sorted, self, shape, right ? e.gt : e.ge), args.out_int32 ? "int32" : "int64");
}

/**
 * Bisects a range for each value until it is empty, with the midpoints and comparisons of PyTorch's `cus_lower_bound`
 * and `cus_upper_bound`: NaN sorts last, and an unsorted sequence gives PyTorch's results too.
 */
function bisect(
  b: Builder,
  sequence: TensorMeta,
  value: TensorMeta | Scalar,
  shape: readonly number[],
  isBehind: (x: Operand, y: Operand) => TensorMeta,
): TensorMeta {
  const e = emit(b);
  const n = sequence.shape.at(-1)!;
  const flat = sequence.shape.length === 1;
  let [start, end] = [e.full(shape, 0, "int32"), e.full(shape, n, "int32")];
  for (let left = n; left > 0; left = Math.floor(left / 2)) {
    const half = b.tensor("aten::bitwise_right_shift.Tensor_Scalar", { self: e.sub(end, start), other: 1 });
    const middle = e.add(start, half);
    // An empty range may lie behind the last element.
    const at = b.tensor("aten::clamp_max", { self: middle, max: n - 1 });
    const index = flat ? e.reshape(at, [numel(shape)]) : at;
    const found = e.reshape(b.tensor("aten::gather", { self: sequence, dim: -1, index }), shape);
    const open = e.lt(start, end);
    const behind = isBehind(found, value);
    start = e.where(both(b, open, b.tensor("aten::logical_not", { self: behind })), e.add(middle, 1), start);
    end = e.where(both(b, open, behind), middle, end);
  }
  return start;
}

function both(b: Builder, self: TensorMeta, other: TensorMeta): TensorMeta {
  return b.tensor("aten::logical_and", { self, other });
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
