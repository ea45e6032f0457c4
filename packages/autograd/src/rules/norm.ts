import { isTensorMeta, type TensorMeta } from "@pt2/registry";
import { type GradientRule, type GradientRules, ofResult } from "../gradient-rule.ts";
import { Emit, tensorOf } from "./support.ts";

/** Normalizations, by PyTorch's own backward ops. */
export const NORM_RULES: GradientRules = {
  "aten::native_layer_norm": ofResult((grad, args, b, { results, wants }) => {
    const { eps: _, ...rest } = args;
    const [input, weight, bias] = new Emit(b).call("aten::native_layer_norm_backward", {
      ...rest,
      grad_out: grad,
      mean: results[1]!,
      rstd: results[2]!,
      output_mask: ["input", "weight", "bias"].map(wants),
    });
    return masked({ input, weight, bias }, wants);
  }),
  "aten::native_group_norm": ofResult((grad, args, b, { results, wants }) => {
    const { eps: _, bias: __, ...rest } = args;
    const [input, weight, bias] = new Emit(b).call("aten::native_group_norm_backward", {
      ...rest,
      grad_out: grad,
      mean: results[1]!,
      rstd: results[2]!,
      output_mask: ["input", "weight", "bias"].map(wants),
    });
    return masked({ input, weight, bias }, wants);
  }),
  "aten::native_batch_norm": batchNorm(({ training }) => training === true),
  "aten::_native_batch_norm_legit": batchNorm(({ training }) => training === true),
  "aten::_native_batch_norm_legit.no_stats": batchNorm(({ training }) => training === true),
  "aten::_native_batch_norm_legit_functional": batchNorm(({ training }) => training === true),
  "aten::_native_batch_norm_legit_no_training": batchNorm(() => false),
};

function batchNorm(trains: (args: Parameters<GradientRule>[0]["args"]) => boolean): GradientRule {
  return ofResult((grad, args, b, { results, wants }) => {
    const train = trains(args);
    const { input: given, weight: scale = null, running_mean = null, running_var = null, eps = 1e-5 } = args;
    const [input, weight, bias] = new Emit(b).call("aten::native_batch_norm_backward", {
      grad_out: grad,
      input: tensorOf(given),
      weight: scale,
      running_mean,
      running_var,
      save_mean: train ? results[1]! : null,
      save_invstd: train ? results[2]! : null,
      train,
      eps,
      output_mask: ["input", "weight", "bias"].map(wants),
    });
    return masked({ input, weight, bias }, wants);
  });
}

type Made = Readonly<Record<string, unknown>>;

function masked(made: Made, wants: (name: string) => boolean): Readonly<Record<string, TensorMeta | null>> {
  return Object.fromEntries(
    Object.entries(made).map(([name, value]) => [name, wants(name) && isTensorMeta(value) ? value : null]),
  );
}
