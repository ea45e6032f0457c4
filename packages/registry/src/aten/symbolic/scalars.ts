import { defineOp, type OpRecord } from "../../op.ts";
import { check } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { toNumber } from "../support/dtypes.ts";

/** Numbers that are read out of tensors, and checks. Every check of the exporter that can be made early is made here. */
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
  defineOp("aten::_assert_scalar(Scalar self, str assert_msg) -> ()", {
    infer({ self, assert_msg }) {
      check(toNumber(self) !== 0, assert_msg);
      return undefined;
    },
    impure: true,
  }),
  defineOp("aten::_assert_async(Tensor self) -> ()", {
    infer: () => undefined,
    decompose({ self }, b) {
      b.call("aten::_assert_async.msg", {
        self,
        assert_msg: "Expected Tensor with single nonzero value, but got zero",
      });
      return undefined;
    },
    impure: true,
  }),
  defineOp("aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", { infer: () => undefined, impure: true }),
  defineOp("aten::_functional_assert_async.msg(Tensor self, str assert_msg, Tensor dep_token) -> Tensor", {
    decompose({ self, assert_msg, dep_token }, b) {
      b.call("aten::_assert_async.msg", { self, assert_msg });
      return dep_token;
    },
    impure: true,
  }),
  defineOp("aten::_functional_assert_scalar(Scalar self, str assert_msg, Tensor dep_token) -> Tensor", {
    decompose: ({ dep_token }) => dep_token,
  }),
  defineOp(
    "aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()",
    { infer: () => undefined, impure: true },
  ),
  defineOp("aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()", {
    infer({ size, min, max }) {
      const value = toNumber(size);
      check((min ?? value) <= value && value <= (max ?? value), () => `${value} is not in [${min}, ${max}]`);
      return undefined;
    },
    impure: true,
  }),
  defineOp("aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()", {
    infer({ size, min, max }) {
      const value = toNumber(size);
      check((min ?? 0) <= value && value <= (max ?? value), () => `${value} is not in [${min ?? 0}, ${max}]`);
      return undefined;
    },
    impure: true,
  }),
];

/** A number stands in for the value until the tensor is there. */
function oneElement(shape: readonly number[]): number {
  check(numel(shape) === 1, () => `a Tensor with ${numel(shape)} elements cannot be converted to Scalar`);
  return 0;
}
