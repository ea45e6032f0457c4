import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf, run } from "@pt2/conformance";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";
import { numbers } from "../matmul/matmul.test-helper.ts";

const registry = registryOf();

interface AttentionCase {
  readonly batch?: number;
  readonly heads: number;
  /** Heads of keys and values, of which each serves several of queries. Default: as many as of queries. */
  readonly keyHeads?: number;
  readonly queries: number;
  readonly keys: number;
  readonly width: number;
  readonly features?: number;
  readonly causal?: boolean;
  /** Shape of a float mask, whose last row sees nothing. */
  readonly mask?: readonly number[];
}

const CASES: Readonly<Record<string, AttentionCase>> = {
  "prime sizes": { batch: 2, heads: 3, queries: 37, keys: 41, width: 13, features: 11 },
  "whole vectors": { heads: 2, queries: 64, keys: 48, width: 64 },
  "one query": { batch: 2, heads: 2, queries: 1, keys: 67, width: 32 },
  "one query of many keys": { heads: 3, queries: 1, keys: 1031, width: 36 },
  "few queries of heads that share keys": { batch: 2, heads: 4, keyHeads: 2, queries: 2, keys: 401, width: 13 },
  "one query of heads that share keys": {
    batch: 2,
    heads: 6,
    keyHeads: 2,
    queries: 1,
    keys: 37,
    width: 12,
    mask: [2, 1, 1, 37],
  },
  "two queries that see no more than one and two keys": { heads: 2, queries: 2, keys: 300, width: 16, causal: true },
  "few queries with a mask": { batch: 2, heads: 2, queries: 4, keys: 523, width: 8, mask: [4, 523] },
  "causal, more keys": { heads: 1, queries: 43, keys: 70, width: 16, causal: true },
  "heads that share keys": { batch: 2, heads: 6, keyHeads: 2, queries: 18, keys: 23, width: 20 },
  "a mask for all heads": { batch: 2, heads: 2, queries: 35, keys: 21, width: 16, mask: [35, 21] },
  "a mask of keys": { batch: 2, heads: 2, queries: 35, keys: 24, width: 16, mask: [2, 1, 1, 24] },
  "many features": { heads: 1, queries: 9, keys: 20, width: 8, features: 100 },
};

await describeWithDevice("attention", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    test.each(Object.entries(CASES))("%s", async (_, each) => {
      const { batch = 1, heads, keyHeads = heads, queries, keys, width, features = width, causal, mask } = each;
      // Queries come as a projection leaves them, [batch, queries, heads, width]: their rows are not next to each other.
      const q = numbers([batch, queries, heads, width], 1);
      const k = numbers([batch, keyHeads, keys, width], 2);
      const v = numbers([batch, keyHeads, keys, features], 3);
      const m = mask && numbers(mask, 4);
      if (m) (m.data as Float32Array).fill(Number.NEGATIVE_INFINITY, -mask.at(-1)!);
      const body = `user_input %given: f32[${q.shape.join(", ")}]
  user_input %k: f32[${k.shape.join(", ")}]
  user_input %v: f32[${v.shape.join(", ")}]
  ${mask ? `user_input %m: f32[${mask.join(", ")}]` : ""}
  %q: f32[${batch}, ${heads}, ${queries}, ${width}] = aten::permute(self=%given, dims=[0, 2, 1, 3])
  %y: f32[${batch}, ${heads}, ${queries}, ${features}] = aten::scaled_dot_product_attention(query=%q, key=%k, value=%v${mask ? ", attn_mask=%m" : ""}, is_causal=${causal ?? false}, enable_gqa=${keyHeads !== heads})
  return %y`;
      const backend = await variantBackend(variant);
      const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
      const [actual] = await run(executable, q, k, v, ...(m ? [m] : []));
      expect(worstError(actual as number[], reference(each, q, k, v, m), ABSOLUTE)).toBeLessThan(5e-6);
      await executable.dispose();
    });

    test.each([20, 1])("float16, %i queries", async (queries) => {
      const [type, others] = [`f16[1, 2, ${queries}, 16]`, "f16[1, 2, 300, 16]"];
      const body = `user_input %q: ${type}
  user_input %x: ${others}
  %y: ${type} = aten::scaled_dot_product_attention(query=%q, key=%x, value=%x)
  return %y`;
      // 1 everywhere: every query sees the mean of equal values.
      const q = hostTensor("float16", [1, 2, queries, 16], new Uint16Array(32 * queries).fill(0x3c00));
      const x = hostTensor("float16", [1, 2, 300, 16], new Uint16Array(9600).fill(0x3c00));
      const backend = await variantBackend(variant);
      const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
      const [[result]] = (await run(executable, q, x)) as [number[]];
      expect([1, 0x3c00]).toContain(result);
      await executable.dispose();
    });
  });
});

function reference(each: AttentionCase, q: HostTensor, k: HostTensor, v: HostTensor, m?: HostTensor): number[] {
  const { batch = 1, heads, keyHeads = heads, queries, keys, width, features = width, causal = false } = each;
  const [qs, ks, vs, ms] = [q, k, v, m].map((tensor) => tensor?.data as Float32Array);
  const result: number[] = [];
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < heads; h++) {
      const from = b * keyHeads + Math.floor((h * keyHeads) / heads);
      for (let i = 0; i < queries; i++) {
        const scores = Array.from({ length: keys }, (_, j) => {
          if (causal && j > i) return Number.NEGATIVE_INFINITY;
          let dot = 0;
          for (let e = 0; e < width; e++) {
            dot += qs![((b * queries + i) * heads + h) * width + e]! * ks![(from * keys + j) * width + e]!;
          }
          const masked = m === undefined ? 0 : ms![m.shape.length === 2 ? i * keys + j : b * keys + j]!;
          return dot / Math.sqrt(width) + masked;
        });
        const top = Math.max(...scores);
        const weights = scores.map((score) => (top === Number.NEGATIVE_INFINITY ? 0 : Math.exp(score - top)));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        for (let f = 0; f < features; f++) {
          const sum = weights.reduce((all, weight, j) => all + weight * vs![(from * keys + j) * features + f]!, 0);
          result.push(total === 0 ? 0 : sum / total);
        }
      }
    }
  }
  return result;
}
