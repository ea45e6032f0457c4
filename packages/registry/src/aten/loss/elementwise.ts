import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast, numel, sameShape } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { reduceLoss } from "./reduction.ts";

/**
 * Defines losses that compare element by element. Some have gradients of their own: those of the decomposition would be NaN
 * where a logarithm or a branch that was not taken is infinite, and wrong at a logit of 0, where it has a kink.
 */
export const ELEMENTWISE_LOSS_OPS: readonly OpRecord[] = [
  defineOp("aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", {
    decompose: ({ self, target, reduction }, b) => {
      const e = emit(b);
      const difference = e.sub(self, target);
      return reduceLoss(b, e.mul(difference, difference), reduction);
    },
  }),
  defineOp("aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", {
    decompose: ({ self, target, reduction }, b) => reduceLoss(b, emit(b).abs(emit(b).sub(self, target)), reduction),
  }),
  defineOp("aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor", {
    decompose: ({ self, target, reduction, beta }, b) => {
      const e = emit(b);
      check(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
      const distance = e.abs(e.sub(self, target));
      if (beta === 0) return reduceLoss(b, distance, reduction);
      const near = e.mul(e.mul(distance, distance), { float: 0.5 / beta });
      return reduceLoss(
        b,
        e.where(e.lt(distance, { float: beta }), near, e.sub(distance, { float: beta / 2 })),
        reduction,
      );
    },
    gradient: ({ args: { beta, ...args }, grads: [grad], wants }, b) =>
      ofDifference(b, args, wants, (pair) =>
        b.tensor("aten::smooth_l1_loss_backward", { grad_output: grad!, ...pair, beta }),
      ),
  }),
  defineOp("aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor", {
    requires: { kinds: { self: "float", target: "real" } },
    decompose: ({ self, target, reduction, delta }, b) => {
      const e = emit(b);
      const distance = e.abs(e.sub(self, target));
      const near = e.mul(e.mul(distance, distance), { float: 0.5 });
      const far = e.mul(e.sub(distance, { float: delta / 2 }), { float: delta });
      const loss = e.where(e.le(distance, { float: delta }), near, far);
      return reduceLoss(b, e.cast(loss, self.dtype), reduction);
    },
    gradient: ({ args: { delta, ...args }, grads: [grad], wants }, b) =>
      ofDifference(b, args, wants, (pair) =>
        b.tensor("aten::huber_loss_backward", { grad_output: grad!, ...pair, delta }),
      ),
  }),
  defineOp("aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", {
    requires: { kinds: { self: "float", target: "real" } },
    decompose: ({ self, target, reduction }, b) => {
      const e = emit(b);
      checkWritten(self, [self, target]);
      return reduceLoss(b, e.log1p(e.exp(e.mul(e.neg(target), self))), reduction);
    },
  }),
  defineOp("aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor", {
    requires: { same: ["self", "target", "weight"], kinds: { self: "float" } },
    decompose: ({ self, target, weight, reduction }, b) => {
      const e = emit(b);
      // PyTorch clamps the logarithms to at least -100, so that the loss stays finite.
      const yes = e.mul(target, e.clampMin(e.log(self), { float: -100 }));
      const no = e.mul(e.sub(target, { float: 1 }), e.clampMin(e.log1p(e.neg(self)), { float: -100 }));
      const loss = e.sub(no, yes);
      return reduceLoss(b, weight === null ? loss : e.mul(loss, weight), reduction);
    },
    gradient({ args: { self, target, weight, reduction }, grads: [grad], wants }, b) {
      checkConstant(wants, "weight");
      const given = { grad_output: grad!, self, target, weight, reduction };
      const logit = (): TensorMeta => emit(b).neg(b.tensor("aten::logit", { self, eps: null }));
      return {
        self: wants("self") ? b.tensor("aten::binary_cross_entropy_backward", given) : null,
        target: wants("target") ? chained(b, logit(), target, { grad: grad!, weight, reduction }) : null,
      };
    },
  }),
  defineOp(
    "aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor",
    {
      requires: { kinds: { target: "float", weight: "real", pos_weight: "real" } },
      decompose: ({ self, target, weight, pos_weight, reduction }, b) => {
        const e = emit(b);
        checkWritten(target, [self, target]);
        if (pos_weight !== null) checkWritten(self, [self, target, pos_weight]);
        // PyTorch computes in place: the loss has the dtype of the target, and the logarithm that of the logits.
        const softplus = e.add(e.log1p(e.exp(e.neg(e.abs(self)))), e.clampMin(e.neg(self), { float: 0 }));
        const scaled =
          pos_weight === null
            ? softplus
            : e.cast(e.mul(e.add(e.mul(e.sub(pos_weight, { float: 1 }), target), { float: 1 }), softplus), self.dtype);
        const linear = e.cast(e.mul(e.sub({ float: 1 }, target), self), target.dtype);
        const loss = e.cast(e.add(linear, scaled), target.dtype);
        return reduceLoss(b, weight === null ? loss : e.cast(e.mul(loss, weight), target.dtype), reduction);
      },
      gradient({ args: { self, target, weight, pos_weight, reduction }, grads: [grad], wants }, b) {
        checkConstant(wants, "weight");
        checkConstant(wants, "pos_weight");
        const e = emit(b);
        const chain = { grad: grad!, weight, reduction };
        const logSigmoid = (x: TensorMeta): TensorMeta => b.tensor("aten::log_sigmoid", { self: x });
        const ofLogit = (): TensorMeta => {
          const probability = e.sigmoid(self);
          if (pos_weight === null) return e.sub(probability, target);
          const positive = e.mul(pos_weight, target);
          return e.sub(e.mul(e.sub(e.add(positive, { float: 1 }), target), probability), positive);
        };
        const ofTarget = (): TensorMeta =>
          pos_weight === null ? e.neg(self) : e.sub(logSigmoid(e.neg(self)), e.mul(pos_weight, logSigmoid(self)));
        return {
          self: wants("self") ? chained(b, ofLogit(), self, chain) : null,
          target: wants("target") ? chained(b, ofTarget(), target, chain) : null,
        };
      },
    },
  ),
  defineOp("aten::kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor", {
    decompose: ({ self, target, reduction, log_target }, b) => {
      const e = emit(b);
      const loss = log_target
        ? e.mul(e.exp(target), e.sub(target, self))
        : e.sub(b.tensor("aten::xlogy.Tensor", { self: target, other: target }), e.mul(target, self));
      return reduceLoss(b, loss, reduction);
    },
  }),
  defineOp(
    "aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor",
    {
      decompose: ({ input, target, log_input, full, eps, reduction }, b) => {
        const e = emit(b);
        const loss = log_input
          ? e.sub(e.exp(input), e.mul(target, input))
          : e.sub(input, e.mul(target, e.log(e.add(input, { float: eps }))));
        if (!full) return reduceLoss(b, loss, reduction);
        const half = e.mul(e.log(e.mul(target, { float: 2 * Math.PI })), { float: 0.5 });
        const stirling = e.add(e.sub(e.mul(target, e.log(target)), target), half);
        return reduceLoss(b, e.add(loss, e.where(e.le(target, 1), { float: 0 }, stirling)), reduction);
      },
    },
  ),
];

/** Checks that the operands broadcast to the tensor that PyTorch computes in, without enlarging it. */
function checkWritten(written: TensorMeta, operands: readonly TensorMeta[]): void {
  const shape = broadcast(...operands.map((operand) => operand.shape));
  check(
    sameShape(shape, written.shape),
    () => `output with shape ${show(written.shape)} doesn't match the broadcast shape ${show(shape)}`,
  );
}

interface Chain {
  readonly grad: TensorMeta;
  readonly weight: TensorMeta | null;
  readonly reduction: number;
}

/** The gradient of an operand of a loss, from the derivative of each element's loss. */
function chained(b: Builder, slope: TensorMeta, operand: TensorMeta, { grad, weight, reduction }: Chain): TensorMeta {
  const e = emit(b);
  const product = e.mul(slope, grad);
  const weighted = weight === null ? product : e.mul(product, weight);
  return fitted(b, reduction === 1 ? e.div(weighted, { float: numel(slope.shape) }) : weighted, operand);
}

function fitted(b: Builder, gradient: TensorMeta, { shape, dtype }: TensorMeta): TensorMeta {
  const whole = emit(b).cast(gradient, dtype);
  return sameShape(whole.shape, shape) ? whole : b.tensor("aten::sum_to_size", { self: whole, size: shape });
}

interface Pair {
  readonly self: TensorMeta;
  readonly target: TensorMeta;
  readonly reduction: number;
}

/** The gradients of a loss of differences, which are opposites. */
function ofDifference(
  b: Builder,
  { self, target, reduction }: Pair,
  wants: (argument: string) => boolean,
  backward: (pair: Pair) => TensorMeta,
): { readonly self: TensorMeta | null; readonly target: TensorMeta | null } {
  const e = emit(b);
  const shape = broadcast(self.shape, target.shape);
  const slope = backward({ self: e.expand(self, shape), target: e.expand(target, shape), reduction });
  return {
    self: wants("self") ? fitted(b, slope, self) : null,
    target: wants("target") ? fitted(b, e.neg(slope), target) : null,
  };
}

/** PyTorch refuses the gradients of weights too. */
function checkConstant(wants: (argument: string) => boolean, name: string): void {
  check(!wants(name), () => `the derivative for '${name}' is not implemented`);
}
