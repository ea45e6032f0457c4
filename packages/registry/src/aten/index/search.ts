import type { Builder } from "../../builder.ts";
import { promoteTypes } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { isFloat } from "../support/dtypes.ts";
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

/** Comparisons of all pairs are the fastest for so few elements or tests, and stay linear in the number of others. */
const FEW = 32;

function member(b: Builder, elements: TensorMeta, tests: TensorMeta, invert: boolean): TensorMeta {
  const e = emit(b);
  const list = e.reshape(tests, [numel(tests.shape)]);
  if (Math.min(numel(elements.shape), numel(tests.shape)) > FEW) return sortedMember(b, elements, list, invert);
  return found(b, e.eq(e.unsqueeze(elements, -1), list), -1, invert);
}

/** Compares each element with the first test that is not less. NaN is no member. */
function sortedMember(b: Builder, elements: TensorMeta, tests: TensorMeta, invert: boolean): TensorMeta {
  const e = emit(b);
  const dtype = promoteTypes(elements.dtype, tests.dtype);
  const values = e.reshape(e.cast(elements, dtype), [numel(elements.shape)]);
  const sorted = b.tensor("aten::sort.stable", { self: e.cast(tests, dtype), stable: true, dim: 0 });
  // NaN sorts last, but a search goes behind each NaN that it meets.
  const ordered = isFloat(dtype) ? e.where(e.eq(sorted, sorted), sorted, { float: Number.POSITIVE_INFINITY }) : sorted;
  const place = b.tensor("aten::searchsorted.Tensor", { sorted_sequence: ordered, self: values });
  const index = b.tensor("aten::clamp_max", { self: place, max: tests.shape[0]! - 1 });
  const nearest = b.tensor("aten::index_select", { self: sorted, dim: 0, index });
  return e.reshape(invert ? e.ne(values, nearest) : e.eq(values, nearest), elements.shape);
}

function found(b: Builder, equal: TensorMeta, dim: number | null, invert: boolean): TensorMeta {
  const any = b.tensor("aten::any.dims", { self: equal, dim: dim === null ? null : [dim] });
  return invert ? b.tensor("aten::logical_not", { self: any }) : any;
}

function isTensor(value: TensorMeta | Scalar): value is TensorMeta {
  return typeof value === "object" && "shape" in value;
}
