import { defineOp, type OpRecord } from "../../op.ts";
import { registryError } from "../../registry-errors.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, sameShape } from "../support/dims.ts";
import { toNumber } from "../support/dtypes.ts";

/**
 * Defines numbers that are read from tensors, and assertions: those of numbers and shapes are checked here, those of
 * data by the backend.
 */
export const SCALAR_OPS: readonly OpRecord[] = [
  defineOp("aten::item(Tensor self) -> Scalar", { infer: ({ self }) => oneElement(self.shape), dynamic: true }),
  defineOp("aten::_local_scalar_dense(Tensor self) -> Scalar", {
    infer: ({ self }) => oneElement(self.shape),
    dynamic: true,
  }),
  defineOp("aten::is_nonzero(Tensor self) -> bool", {
    infer: ({ self }) => oneElement(self.shape) === 0,
    dynamic: true,
  }),
  defineOp("aten::equal(Tensor self, Tensor other) -> bool", { infer: () => true, dynamic: true }),
  defineOp(
    "aten::_make_dep_token(*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    { decompose: ({ dtype }, b) => b.tensor("aten::full", { size: [], fill_value: 0, dtype: dtype ?? "float32" }) },
  ),
  defineOp("aten::_print(str s) -> ()", { infer: () => undefined, dynamic: true, impure: true }),
  defineOp("aten::_assert_scalar(Scalar self, str assert_msg) -> ()", {
    infer: ({ self, assert_msg }) => asserted(isTrue(self), assert_msg),
    impure: true,
  }),
  defineOp("aten::_functional_assert_scalar(Scalar self, str assert_msg, Tensor dep_token) -> Tensor", {
    decompose({ self, assert_msg, dep_token }) {
      asserted(isTrue(self), assert_msg);
      return dep_token;
    },
    impure: true,
  }),
  defineOp("aten::_assert_async(Tensor self) -> ()", {
    infer: ({ self }) => void requireOne(self),
    decompose({ self }, b) {
      b.call("aten::_assert_async.msg", {
        self,
        assert_msg: "Expected Tensor with single nonzero value, but got zero",
      });
      return undefined;
    },
    impure: true,
  }),
  defineOp("aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", {
    infer: ({ self }) => void requireOne(self),
    impure: true,
  }),
  defineOp("aten::_functional_assert_async.msg(Tensor self, str assert_msg, Tensor dep_token) -> Tensor", {
    decompose({ self, assert_msg, dep_token }, b) {
      b.call("aten::_assert_async.msg", { self, assert_msg });
      return dep_token;
    },
    impure: true,
  }),
  // Strides, layout and device are those of the backend.
  defineOp(
    "aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()",
    {
      infer({ a, size, dtype }) {
        asserted(
          dtype === null || a.dtype === dtype,
          () => `Tensor dtype mismatch! Expected: ${dtype}, Got: ${a.dtype}`,
        );
        asserted(
          size === null || sameShape(a.shape, size),
          () => `Tensor sizes mismatch! Expected: ${show(size!)}, Got: ${show(a.shape)}`,
        );
        return undefined;
      },
      impure: true,
    },
  ),
  defineOp("aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()", {
    infer: ({ size, min, max }) => constrained(size, min, max),
    impure: true,
  }),
  defineOp("aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()", {
    infer: ({ size, min, max }) => constrained(size, min ?? 0, max),
    impure: true,
  }),
  defineOp("aten::_functional_sym_constrain_range(Scalar size, int? min, int? max, Tensor dep_token) -> Tensor", {
    decompose({ size, min, max, dep_token }) {
      constrained(size, min, max);
      return dep_token;
    },
    impure: true,
  }),
  defineOp(
    "aten::_functional_sym_constrain_range_for_size(Scalar size, int? min, int? max, Tensor dep_token) -> Tensor",
    {
      decompose({ size, min, max, dep_token }) {
        constrained(size, min ?? 0, max);
        return dep_token;
      },
      impure: true,
    },
  ),
];

/** Throws an error with the program's message if an assertion does not hold. */
function asserted(holds: boolean, what: string | (() => string)): undefined {
  if (holds) return undefined;
  throw registryError("registry.assertion", {
    what: typeof what === "string" ? what : what(),
    advice: "Check the inputs: the program was exported for inputs that meet this condition.",
  });
}

function constrained(size: Scalar, min: number | null, max: number | null): undefined {
  const value = toNumber(size);
  const holds = (min ?? value) <= value && value <= (max ?? value);
  return asserted(holds, () => `Invalid value range for ${value} between [${min ?? "-inf"}, ${max ?? "inf"}].`);
}

/** Converts a number as Python's `bool` does. */
function isTrue(value: Scalar): boolean {
  return typeof value === "object" && "re" in value ? value.re !== 0 || value.im !== 0 : toNumber(value) !== 0;
}

function requireOne({ shape }: TensorMeta): void {
  const count = numel(shape);
  check(
    count === 1,
    () => `Boolean value of Tensor with ${count === 0 ? "no values" : "more than one value"} is ambiguous`,
  );
}

/** Returns a placeholder for a value that is read from a tensor at run time. */
function oneElement(shape: readonly number[]): number {
  check(numel(shape) === 1, () => `a Tensor with ${numel(shape)} elements cannot be converted to Scalar`);
  return 0;
}
