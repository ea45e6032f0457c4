import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf } from "@pt2/conformance";
import { libraries } from "@pt2/registry/aten";
import { randomFloats, randomUnit } from "@pt2/testing/random";
import { describe, expect, test } from "vitest";
import { WasmBackend } from "../../backend.ts";
import { divided } from "../../threads/divided.test-helper.ts";

const registry = registryOf([], libraries);
const next = randomUnit(9);
const floats = (...shape: number[]): HostTensor =>
  hostTensor(
    "float32",
    shape,
    randomFloats(
      next,
      shape.reduce((a, b) => a * b, 1),
    ),
  );

const INPUTS = `
  user_input %q: f32[2, 6, s0, 20]
  user_input %k: bf16[2, 3, 70, 20]
  user_input %v: bf16[2, 3, 70, 12]`;
const REST = "attn_mask=none, is_causal=false, scale=0.4, enable_gqa=true)\n  return %y";
/** Attention to halves as rewrites write it, and as programs do. */
const HALF = `${INPUTS}
  %y: f32[2, 6, s0, 12] = pt2::attention_half(query=%q, key=%k, value=%v, ${REST}`;
const CONVERTED = `${INPUTS}
  %a: f32[2, 3, 70, 20] = aten::to.dtype(self=%k, dtype=torch.float32)
  %b: f32[2, 3, 70, 12] = aten::to.dtype(self=%v, dtype=torch.float32)
  %y: f32[2, 6, s0, 12] = aten::scaled_dot_product_attention(query=%q, key=%a, value=%b, dropout_p=0.0, ${REST}`;

describe.each(["float16", "bfloat16"] as const)("keys and values of %s", (dtype) => {
  const programs = [HALF, CONVERTED].map((text) =>
    programOf(text.replaceAll("bf16", dtype === "float16" ? "f16" : "bf16")),
  );
  const half = (...shape: number[]): HostTensor => hostTensor(dtype, shape, floats(...shape).data as Float32Array);

  test("give what their numbers give in float32, for any number of queries and threads", async () => {
    for (const threads of [1, 3]) {
      const backend = new WasmBackend(divided(threads));
      const models = await Promise.all(
        programs.map(async (program) => {
          return await backend.compile({ program, weights: new Map(), registry, precision: "exact" });
        }),
      );
      for (const queries of [1, 2, 8, 9, 0, 33]) {
        const given = [floats(2, 6, queries, 20), half(2, 3, 70, 20), half(2, 3, 70, 12)];
        const [[one], [other]] = (await Promise.all(models.map((model) => model.run(given)))) as [
          [HostTensor],
          [HostTensor],
        ];
        expect(one, `${queries} queries`).toEqual(other);
      }
      await Promise.all(models.map((model) => model.dispose()));
    }
  });

  test("are not copied to float32", async () => {
    const compile = async (precision: "exact" | "fast") =>
      await new WasmBackend(divided(1)).compile({ program: programs[1]!, weights: new Map(), registry, precision });
    const [exact, fast] = [await compile("exact"), await compile("fast")];
    const given = [floats(2, 6, 1, 20), half(2, 3, 70, 20), half(2, 3, 70, 12)];
    expect(await fast.run(given)).toEqual(await exact.run(given));
    expect(await fast.explain!()).toContain("pt2::attention_half");
    const [less, more] = [await fast.memory!(), await exact.memory!()];
    expect(more.activations - less.activations).toBeGreaterThan(2 * 2 * 3 * 70 * (20 + 12));
    await Promise.all([exact.dispose(), fast.dispose()]);
  });
});
