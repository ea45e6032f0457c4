import { withDefaults } from "./options.ts";
import { trainError } from "./train-errors.ts";
import type { UpdateBuilder, Value } from "./update-builder.ts";

/** What one parameter's update reads. */
export interface UpdateCall {
  /** The parameter before the step. */
  readonly parameter: Value;
  /** Its gradient, after clipping. */
  readonly gradient: Value;
  /** The state of the parameter, by the names in {@link Optimizer.state}. */
  readonly state: Readonly<Record<string, Value>>;
  /** The numbers of this step, by the names that {@link Optimizer.numbers} gives. */
  readonly numbers: Readonly<Record<string, Value>>;
}

/** The new values of a parameter and of its state. */
export interface Updated {
  /** The parameter after the step. */
  readonly parameter: Value;
  /** Its state after the step, by the names in {@link Optimizer.state}. */
  readonly state: Readonly<Record<string, Value>>;
}

/** An optimizer: how a parameter follows from its gradient. Its formulas are those of `torch.optim`. */
export interface Optimizer {
  /** PyTorch's name, such as `AdamW`. */
  readonly name: string;
  /** The learning rate where no group and no schedule says otherwise. */
  readonly lr: number;
  /** The weight decay where no group says otherwise. */
  readonly weightDecay: number;
  /** Whether the loss is to grow: gradients are negated before they get here. @default false */
  readonly maximize?: boolean;
  /** What is kept for each element of a parameter, by PyTorch's names, with its first value. */
  readonly state: Readonly<Record<string, number>>;
  /** Computes the numbers of a step, which counts from 1. They are computed in float64 as in Python. */
  numbers(lr: number, weightDecay: number, step: number): Readonly<Record<string, number>>;
  /** Appends the update of one parameter to the graph. */
  update(call: UpdateCall, u: UpdateBuilder): Updated;
}

/** Options of all optimizers, with PyTorch's defaults. */
export interface OptimizerOptions {
  /** The learning rate. @default 1e-3, of `adagrad` and `rmsprop` 1e-2 */
  readonly lr?: number;
  /** The weight decay. @default 0, of `adamW` 1e-2 */
  readonly weightDecay?: number;
  /** Whether the loss is to grow instead of to fall. @default false */
  readonly maximize?: boolean;
}

/** Options of {@link sgd}. */
export interface SgdOptions extends OptimizerOptions {
  /** The part of the last step that is kept. @default 0 */
  readonly momentum?: number;
  /** The part of a gradient that the momentum leaves out. @default 0 */
  readonly dampening?: number;
  /** Looks ahead along the momentum; it needs a momentum and no dampening. @default false */
  readonly nesterov?: boolean;
}

/** `torch.optim.SGD`: stochastic gradient descent, with momentum. */
export function sgd(options: SgdOptions = {}): Optimizer {
  const { momentum, dampening, nesterov, ...rates } = withDefaults(
    "SGD",
    { lr: 1e-3, weightDecay: 0, maximize: false, momentum: 0, dampening: 0, nesterov: false },
    options,
  );
  if (nesterov && (momentum <= 0 || dampening !== 0)) {
    throw trainError("train.options", { what: "Nesterov momentum needs a momentum and no dampening" });
  }
  return {
    name: "SGD",
    ...rates,
    state: momentum === 0 ? {} : { momentum_buffer: 0 },
    // The first momentum is the gradient itself, whatever the dampening.
    numbers: (rate, decay, step) => ({ lr: rate, decay, fresh: step === 1 ? 1 : 1 - dampening }),
    update({ parameter, gradient, state, numbers }, u) {
      const grad = u.add(u.mul(parameter, numbers.decay!), gradient);
      if (momentum === 0) return { parameter: u.sub(parameter, u.mul(grad, numbers.lr!)), state: {} };
      const added = dampening === 0 ? grad : u.mul(grad, numbers.fresh!);
      const buffer = u.add(u.mul(state.momentum_buffer!, momentum), added);
      const direction = nesterov ? u.add(grad, u.mul(buffer, momentum)) : buffer;
      return { parameter: u.sub(parameter, u.mul(direction, numbers.lr!)), state: { momentum_buffer: buffer } };
    },
  };
}

/** Options of {@link adam} and {@link adamW}. */
export interface AdamOptions extends OptimizerOptions {
  /** How much of the running means of gradients and of their squares is kept. @default [0.9, 0.999] */
  readonly betas?: readonly [number, number];
  /** Added to the root of the mean square. @default 1e-8 */
  readonly eps?: number;
  /** Divides by the largest mean square so far. @default false */
  readonly amsgrad?: boolean;
}

/** `torch.optim.Adam`: moments of gradients; weight decay is added to the gradient. */
export function adam(options: AdamOptions = {}): Optimizer {
  return adaptive("Adam", 0, options, false);
}

/** `torch.optim.AdamW`: Adam whose weight decay shrinks the parameters themselves. */
export function adamW(options: AdamOptions = {}): Optimizer {
  return adaptive("AdamW", 1e-2, options, true);
}

function adaptive(name: string, weightDecay: number, options: AdamOptions, decoupled: boolean): Optimizer {
  const { betas, eps, amsgrad, ...rates } = withDefaults<AdamOptions>(
    name,
    { lr: 1e-3, weightDecay, maximize: false, betas: [0.9, 0.999], eps: 1e-8, amsgrad: false },
    options,
  );
  const [first, second] = betas;
  if (!(betas.length === 2 && betas.every((beta) => Number.isFinite(beta) && beta >= 0 && beta < 1))) {
    throw trainError("train.options", {
      what: `betas must be two numbers from 0 and below 1, not ${betas.join(", ")}`,
    });
  }
  return {
    name,
    ...rates,
    state: { exp_avg: 0, exp_avg_sq: 0, ...(amsgrad ? { max_exp_avg_sq: 0 } : {}) },
    numbers(rate, decay, step) {
      // PyTorch divides the root by this; here the step and eps are multiplied with it, once for all elements.
      const correction = Math.sqrt(1 - second ** step);
      return {
        stepSize: (rate * correction) / (1 - first ** step),
        eps: eps * correction,
        decay: decoupled ? 1 - rate * decay : decay,
      };
    },
    update({ parameter, gradient, state, numbers }, u) {
      const shrunk = decoupled ? u.mul(parameter, numbers.decay!) : parameter;
      const grad = decoupled ? gradient : u.add(u.mul(parameter, numbers.decay!), gradient);
      const mean = u.lerp(state.exp_avg!, grad, 1 - first);
      const square = u.addSquare(u.mul(state.exp_avg_sq!, second), grad, 1 - second);
      const largest = amsgrad ? u.maximum(state.max_exp_avg_sq!, square) : square;
      const root = u.add(u.sqrt(largest), numbers.eps!);
      return {
        parameter: u.subQuotient(shrunk, u.mul(mean, numbers.stepSize!), root),
        state: { exp_avg: mean, exp_avg_sq: square, ...(amsgrad ? { max_exp_avg_sq: largest } : {}) },
      };
    },
  };
}

/** Options of {@link adagrad}. */
export interface AdagradOptions extends OptimizerOptions {
  /** How much the learning rate falls with the steps. @default 0 */
  readonly lrDecay?: number;
  /** The first sum of squares. @default 0 */
  readonly initialAccumulatorValue?: number;
  /** Added to the root of the sum. @default 1e-10 */
  readonly eps?: number;
}

/** `torch.optim.Adagrad`: rates that shrink with the sum of squared gradients. */
export function adagrad(options: AdagradOptions = {}): Optimizer {
  const { lrDecay, initialAccumulatorValue, eps, ...rates } = withDefaults(
    "Adagrad",
    { lr: 1e-2, weightDecay: 0, maximize: false, lrDecay: 0, initialAccumulatorValue: 0, eps: 1e-10 },
    options,
  );
  return {
    name: "Adagrad",
    ...rates,
    state: { sum: initialAccumulatorValue },
    numbers: (rate, decay, step) => ({ rate: rate / (1 + (step - 1) * lrDecay), decay }),
    update({ parameter, gradient, state, numbers }, u) {
      const grad = u.add(u.mul(parameter, numbers.decay!), gradient);
      const sum = u.addSquare(state.sum!, grad, 1);
      const step = u.div(u.mul(grad, numbers.rate!), u.add(u.sqrt(sum), eps));
      return { parameter: u.sub(parameter, step), state: { sum } };
    },
  };
}

/** Options of {@link rmsprop}. */
export interface RmspropOptions extends OptimizerOptions {
  /** How much of the running mean of squares is kept. @default 0.99 */
  readonly alpha?: number;
  /** Added to the root of the mean square. @default 1e-8 */
  readonly eps?: number;
  /** The part of the last step that is kept. @default 0 */
  readonly momentum?: number;
  /** Subtracts the square of the mean gradient, so that the variance is left. @default false */
  readonly centered?: boolean;
}

/** `torch.optim.RMSprop`: gradients over the root of their running mean square. */
export function rmsprop(options: RmspropOptions = {}): Optimizer {
  const { alpha, eps, momentum, centered, ...rates } = withDefaults(
    "RMSprop",
    { lr: 1e-2, weightDecay: 0, maximize: false, alpha: 0.99, eps: 1e-8, momentum: 0, centered: false },
    options,
  );
  return {
    name: "RMSprop",
    ...rates,
    state: { square_avg: 0, ...(centered ? { grad_avg: 0 } : {}), ...(momentum > 0 ? { momentum_buffer: 0 } : {}) },
    numbers: (rate, decay) => ({ lr: rate, decay }),
    update({ parameter, gradient, state, numbers }, u) {
      const grad = u.add(u.mul(parameter, numbers.decay!), gradient);
      const square = u.addSquare(u.mul(state.square_avg!, alpha), grad, 1 - alpha);
      const mean = centered ? u.lerp(state.grad_avg!, grad, 1 - alpha) : null;
      const root = u.add(u.sqrt(mean === null ? square : u.sub(square, u.mul(mean, mean))), eps);
      const kept = { square_avg: square, ...(mean === null ? {} : { grad_avg: mean }) };
      if (momentum === 0) {
        return { parameter: u.sub(parameter, u.div(u.mul(grad, numbers.lr!), root)), state: kept };
      }
      const buffer = u.add(u.mul(state.momentum_buffer!, momentum), u.div(grad, root));
      return {
        parameter: u.sub(parameter, u.mul(buffer, numbers.lr!)),
        state: { ...kept, momentum_buffer: buffer },
      };
    },
  };
}

/** Options of {@link adadelta}. */
export interface AdadeltaOptions extends OptimizerOptions {
  readonly rho?: number;
  readonly eps?: number;
}

/** `torch.optim.Adadelta`: steps as large as the previous ones, over the root of the running mean square. */
export function adadelta(options: AdadeltaOptions = {}): Optimizer {
  const { rho, eps, ...rates } = withDefaults(
    "Adadelta",
    { lr: 1, weightDecay: 0, maximize: false, rho: 0.9, eps: 1e-6 },
    options,
  );
  if (rho > 1) throw trainError("train.options", { what: `rho must be from 0 to 1, not ${rho}` });
  return {
    name: "Adadelta",
    ...rates,
    state: { square_avg: 0, acc_delta: 0 },
    numbers: (rate, decay) => ({ lr: rate, decay }),
    update({ parameter, gradient, state, numbers }, u) {
      const grad = u.add(u.mul(parameter, numbers.decay!), gradient);
      const square = u.addSquare(u.mul(state.square_avg!, rho), grad, 1 - rho);
      const ratio = u.div(u.sqrt(u.add(state.acc_delta!, eps)), u.sqrt(u.add(square, eps)));
      const delta = u.mul(ratio, grad);
      return {
        parameter: u.sub(parameter, u.mul(delta, numbers.lr!)),
        state: { square_avg: square, acc_delta: u.addSquare(u.mul(state.acc_delta!, rho), delta, 1 - rho) },
      };
    },
  };
}
