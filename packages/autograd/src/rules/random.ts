import type { OpName } from "@pt2/graph";
import type { GradientRule, GradientRules } from "../gradient-rule.ts";
import { Emit } from "./support.ts";

/** Ops that draw numbers: as in PyTorch, no gradient flows to what they are filled into or drawn with. */
const DRAWN = [
  ...[
    "bernoulli",
    "bernoulli.p",
    "bernoulli.Tensor",
    "uniform",
    "exponential",
    "cauchy",
    "log_normal",
    "geometric",
    "random",
  ],
  ...["normal_functional", "normal.Tensor_float", "normal.float_Tensor", "normal.Tensor_Tensor", "poisson", "binomial"],
].map((name): readonly [OpName, GradientRule] => [`aten::${name}`, () => ({})]);

/** Rules of ops that draw random numbers. */
export const RANDOM_RULES: GradientRules = {
  ...Object.fromEntries(DRAWN),
  "aten::rrelu_with_noise_functional": ({ args, results: [, noise], grads: [grad_output] }, b) => {
    if (grad_output === null || grad_output === undefined) return {};
    const { self, lower, upper, training } = args;
    const slopes = { noise: noise!, lower: lower!, upper: upper!, training: training! };
    const call = { grad_output, self: self!, ...slopes, self_is_result: false };
    return { self: new Emit(b).tensor("aten::rrelu_with_noise_backward", call) };
  },
};
