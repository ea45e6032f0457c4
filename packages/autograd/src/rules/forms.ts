import type { OpName } from "@pt2/graph";
import { isTensorMeta, type TensorMeta } from "@pt2/registry";
import { onDemand } from "@pt2/registry/on-demand";
import type { DifferentiableForm } from "../gradient-rule.ts";
import { tensorOf } from "./support.ts";

const householder = onDemand("products of reflections", () => import("./householder.ts"));
const strided = onDemand("gradients of strided views", () => import("./strided-forms.ts"));

/**
 * Ops that are called in another form when gradients flow through them: the form returns what the gradient needs (a
 * mask, statistics), or consists of ops with rules. Each returns what the op returns.
 */
export const FORMS: Readonly<Record<OpName, DifferentiableForm>> = {
  "aten::dropout": (args, b) => b.call("aten::native_dropout" as string, args)[0] as TensorMeta,
  "aten::batch_norm": ({ cudnn_enabled: _, training, ...args }, b) => {
    const { input, running_mean, running_var } = args;
    if (tensorOf(input).shape.length < 2) return null;
    const hasStatistics = isTensorMeta(running_mean) && isTensorMeta(running_var);
    return hasStatistics && training === false
      ? b.tensor("aten::_native_batch_norm_legit_no_training" as string, args)
      : b.tensor("aten::native_batch_norm" as string, { ...args, training: training! });
  },
  // Decompositions return row-major tensors where PyTorch's kernels may not, and the other way around.
  "aten::view": ({ self, size }, b) =>
    b.tensor("aten::reshape", { self: self as TensorMeta, shape: size as readonly number[] }),
  "aten::_unsafe_view": ({ self, size }, b) =>
    b.tensor("aten::reshape", { self: self as TensorMeta, shape: size as readonly number[] }),
  "aten::unfold_copy": (args, b) => strided().unfolded(args, b),
  "aten::linalg_solve": (args, b) => b.call("aten::linalg_solve_ex" as string, args)[0] as TensorMeta,
  "aten::fake_quantize_per_tensor_affine": (args, b) =>
    b.call("aten::fake_quantize_per_tensor_affine_cachemask" as string, args)[0] as TensorMeta,
  "aten::linalg_householder_product": (args, b) => householder().householderProduct(args, b),
  "aten::ormqr": (args, b) => householder().householderApplied(args, b),
  "aten::unfold": (args, b) => strided().unfolded(args, b),
  "aten::as_strided": (args, b) => strided().strided(args, b),
  "aten::as_strided_scatter": (args, b) => strided().stridedScatter(args, b),
};
