import { DTYPES, numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { areFloats } from "../floats.ts";
import { headsOf } from "./heads.ts";

/** Features of a value that a workgroup has memory for. */
const MOST_FEATURES = 256;
/** Queries up to which a workgroup shares out keys: reading these is what takes time, as where a model writes word by word. */
const FEW_QUERIES = 16;

/**
 * `scaled_dot_product_attention` of [..., L, E] queries without its [L, S] scores in memory, and the form that PyTorch
 * lowers it to, which also returns the logarithm of each row's sum.
 */
export const attention: WebgpuKernel = webgpuKernel({
  ops: ["aten::scaled_dot_product_attention", "aten::_scaled_dot_product_flash_attention_for_cpu"],
  accepts: ({ query, key, value, attn_mask: mask, dropout_p }) => {
    const kind = mask === null ? "bool" : DTYPES[mask.dtype].kind;
    return (
      areFloats(query, key, value) &&
      dropout_p === 0 &&
      (kind === "bool" || kind === "float") &&
      value.shape.at(-1)! <= MOST_FEATURES
    );
  },
  fuses: true,
  async prepare(call, args) {
    const heads = headsOf(call, args);
    const { shape } = call.call.results[0] as TensorMeta;
    if (numel(shape) === 0) return;
    // A device uses the first, or the others.
    if (call.adapter.software) {
      const { planRegisterAttention } = await import("./register-attention.ts");
      planRegisterAttention(call, heads);
    } else if (heads.query.shape.at(-2)! <= FEW_QUERIES) {
      const { planFewQueries } = await import("./few-queries.ts");
      planFewQueries(call, heads);
    } else {
      const { planTiledAttention } = await import("./tiled-attention.ts");
      planTiledAttention(call, heads);
    }
  },
});
