import { DTYPES, elementCount } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { areFloats } from "../floats.ts";
import { headsOf } from "./heads.ts";
import { planRegisterAttention } from "./register-attention.ts";
import { MOST_FEATURES, planTiledAttention } from "./tiled-attention.ts";

/**
 * `scaled_dot_product_attention` of [..., L, E] queries without its [L, S] scores in memory, and the form that PyTorch
 * lowers it to, which also returns the logarithm of each row's sum.
 */
export const attention: WebgpuKernel = {
  ops: ["aten::scaled_dot_product_attention", "aten::_scaled_dot_product_flash_attention_for_cpu"],
  accepts: (args) => {
    const mask = args["attn_mask"] as TensorMeta | null;
    const kind = mask === null ? "bool" : DTYPES[mask.dtype].kind;
    return (
      areFloats(args, "query", "key", "value") &&
      args["dropout_p"] === 0 &&
      (kind === "bool" || kind === "float") &&
      (args["value"] as TensorMeta).shape.at(-1)! <= MOST_FEATURES
    );
  },
  fuses: true,
  prepare(call) {
    const heads = headsOf(call);
    const { shape } = call.call.results[0] as TensorMeta;
    if (elementCount(shape) === 0) return;
    if (call.adapter.software) planRegisterAttention(call, heads);
    else planTiledAttention(call, heads);
  },
};
