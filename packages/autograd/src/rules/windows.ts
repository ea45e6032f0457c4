import { isTensorMeta } from "@pt2/registry";
import { type GradientRules, ofResult } from "../gradient-rule.ts";
import { Emit, tensorOf } from "./support.ts";

/** Convolution and pooling, by PyTorch's own backward ops. */
export const WINDOW_RULES: GradientRules = {
  "aten::convolution": ofResult((grad_output, args, b, { wants }) => {
    const { bias = null, ...conv } = args;
    const [input, weight, added] = new Emit(b).call("aten::convolution_backward", {
      ...conv,
      grad_output,
      bias_sizes: isTensorMeta(bias) ? bias.shape : null,
      output_mask: ["input", "weight", "bias"].map(wants),
    });
    return {
      input: wants("input") ? tensorOf(input) : null,
      weight: wants("weight") ? tensorOf(weight) : null,
      bias: wants("bias") ? tensorOf(added) : null,
    };
  }),
  "aten::max_pool2d_with_indices": ofResult((grad_output, args, b, { results }) => ({
    self: new Emit(b).tensor("aten::max_pool2d_with_indices_backward", {
      ...args,
      grad_output,
      indices: results[1]!,
    }),
  })),
  "aten::avg_pool2d": ofResult((grad_output, args, b) => ({
    self: new Emit(b).tensor("aten::avg_pool2d_backward", {
      ...args,
      stride: (args.stride as readonly number[]).length === 0 ? args.kernel_size! : args.stride!,
      grad_output,
    }),
  })),
  // The gradient of an adjoint is the op itself.
  "aten::avg_pool2d_backward": ofResult((grad, { grad_output: _, self: __, ...window }, b) => ({
    grad_output: new Emit(b).tensor("aten::avg_pool2d", { ...window, self: grad }),
  })),
  "aten::_adaptive_avg_pool2d_backward": ofResult((grad, { grad_output }, b) => ({
    grad_output: new Emit(b).tensor("aten::_adaptive_avg_pool2d", {
      self: grad,
      output_size: tensorOf(grad_output).shape.slice(-2),
    }),
  })),
  "aten::_adaptive_avg_pool2d": ofResult((grad_output, { self }, b) => ({
    self: new Emit(b).tensor("aten::_adaptive_avg_pool2d_backward", { grad_output, self: self! }),
  })),
};
