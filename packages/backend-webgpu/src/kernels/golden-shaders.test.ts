import { type floats, programOf, registryOf, someFloats, weightsOf } from "@pt2/conformance";
import { afterAll, describe, expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import type { Adapter } from "../engine/adapter.ts";
import { backendOn } from "../variants.test-helper.ts";

/** WebGPU's default limits and no optional feature, so that every device gives the same text. */
const PLAIN: Omit<Adapter, "software"> = {
  f16: false,
  subgroups: false,
  subgroupSize: 0,
  limits: {
    maxStorageBufferBindingSize: 128 * 2 ** 20,
    maxBufferSize: 256 * 2 ** 20,
    maxStorageBuffersPerShaderStage: 8,
    maxComputeWorkgroupsPerDimension: 65_535,
    maxComputeWorkgroupStorageSize: 16_384,
    maxComputeInvocationsPerWorkgroup: 256,
    minStorageBufferOffsetAlignment: 256,
  },
};

/** A program whose shaders are kept. */
interface Golden {
  /** The file, from this folder, without `.golden.wgsl`. */
  readonly file: string;
  /** Whether the device is said to be a CPU, for which kernels keep tiles in registers. */
  readonly software?: true;
  readonly body: string;
  readonly weights?: Readonly<Record<string, ReturnType<typeof floats>>>;
}

const convolution = (rest: string, weight: readonly number[], image: string, result: string): Omit<Golden, "file"> => ({
  body: `parameter "w" = %w: f32[${weight.join(", ")}]
    user_input %x: f32[${image}]
    %y: f32[${result}] = aten::conv2d(input=%x, weight=%w, ${rest})
    %z: f32[${result}] = aten::relu(self=%y)
    return %z`,
  weights: { w: someFloats(...weight) },
});

const GOLDENS: readonly Golden[] = [
  {
    file: "../wgsl/elementwise-vectorized",
    body: `user_input %x: f32[64, 64]
    user_input %y: f32[64, 64]
    %a: f32[64, 64] = aten::mul.Tensor(self=%x, other=%y)
    %b: f32[64, 64] = aten::gelu(self=%a)
    return %b`,
  },
  {
    file: "../wgsl/elementwise-strided",
    body: `user_input %x: f32[64, 48]
    user_input %y: f32[64]
    %t: f32[48, 64] = aten::permute(self=%x, dims=[1, 0])
    %a: f32[48, 64] = aten::add.Tensor(self=%t, other=%y)
    return %a`,
  },
  {
    file: "reduce/reduction",
    software: true,
    body: `user_input %x: f32[16, 512]
    %y: f32[16] = aten::sum.dim_IntList(self=%x, dim=[1])
    return %y`,
  },
  {
    file: "reduce/cooperative-reduction",
    body: `user_input %x: f32[16, 512]
    %y: f32[16] = aten::sum.dim_IntList(self=%x, dim=[1])
    return %y`,
  },
  {
    file: "matmul/shared-tile",
    body: `user_input %x: f32[128, 256]
    user_input %y: f32[256, 192]
    %z: f32[128, 192] = aten::mm(self=%x, mat2=%y)
    return %z`,
  },
  {
    file: "conv/shared-tile",
    ...convolution("stride=[2, 2], padding=[1, 1]", [64, 32, 3, 3], "1, 32, 32, 32", "1, 64, 16, 16"),
  },
  {
    file: "conv/depthwise",
    ...convolution("padding=[1, 1], groups=32", [32, 1, 3, 3], "1, 32, 32, 32", "1, 32, 32, 32"),
  },
  { file: "conv/winograd", ...convolution("padding=[1, 1]", [64, 64, 3, 3], "1, 64, 32, 32", "1, 64, 32, 32") },
  {
    file: "softmax",
    body: `user_input %x: f32[16, 512]
    %y: f32[16, 512] = aten::_softmax(self=%x, dim=1, half_to_float=false)
    return %y`,
  },
  {
    file: "attention/tiled-attention",
    body: `user_input %q: f32[1, 4, 64, 32]
    user_input %k: f32[1, 4, 64, 32]
    user_input %v: f32[1, 4, 64, 32]
    %y: f32[1, 4, 64, 32] = aten::scaled_dot_product_attention(query=%q, key=%k, value=%v, is_causal=true)
    return %y`,
  },
  {
    file: "norm/layer-norm",
    body: `parameter "w" = %w: f32[256]
    parameter "b" = %b: f32[256]
    user_input %x: f32[16, 256]
    %y: f32[16, 256] = aten::layer_norm(input=%x, normalized_shape=[256], weight=%w, bias=%b)
    return %y`,
    weights: { w: someFloats(256), b: someFloats(256) },
  },
  {
    file: "scan/blocked-scan",
    body: `user_input %x: f32[4, 4096]
    %y: f32[4, 4096] = aten::cumsum(self=%x, dim=1)
    return %y`,
  },
  {
    file: "index/gather",
    body: `user_input %x: f32[64, 32]
    user_input %i: i64[16, 32]
    %y: f32[16, 32] = aten::gather(self=%x, dim=0, index=%i)
    return %y`,
  },
  {
    file: "sort/bitonic",
    body: `user_input %x: f32[4, 512]
    sort: [%y: f32[4, 512], %i: i64[4, 512]] = aten::sort(self=%x, dim=1)
    return %y, %i`,
  },
];

await describeWithDevice("generated WGSL", (device) => {
  describe.each(GOLDENS)("$file.golden.wgsl", ({ file, software = false, body, weights = {} }) => {
    const backend = backendOn(device, { ...PLAIN, software });
    afterAll(() => backend.dispose());

    test("the shaders of this program are those of the golden file, which `vitest -u` writes", async () => {
      const program = programOf(body);
      const executable = await backend.compile({ program, weights: weightsOf(weights), registry: registryOf() });
      const [steps, ...shaders] = (await executable.explain()).split("\n\n// ");
      await executable.dispose();
      // What a forward runs, not what packs weights at load.
      const run = steps!.split("\n\n")[0]!;
      const kept = shaders.filter((text) => run.includes(text.slice(0, text.indexOf("\n"))));
      expect(kept.length).toBeGreaterThan(0);
      await expect(`${kept.map((text) => `// ${text.trim()}`).join("\n\n")}\n`).toMatchFileSnapshot(
        `${file}.golden.wgsl`,
      );
    });
  });
});
