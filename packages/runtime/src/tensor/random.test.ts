import { readFileSync } from "node:fs";
import { CpuGenerator, hostTensor, viewAs } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { rand, randn } from "./random.ts";

interface Stream {
  readonly name: string;
  readonly seed: string;
  readonly calls: readonly {
    readonly op: string;
    readonly expected: readonly [{ readonly dtype: DType; readonly shape: readonly number[]; readonly data: string }];
  }[];
}

// The streams that backends are tested with.
const golden = new URL("../../../conformance/src/random/streams.json", import.meta.url);
const { streams }: { readonly streams: readonly Stream[] } = JSON.parse(readFileSync(golden, "utf8"));
const MAKE: Readonly<Record<string, typeof rand>> = { "aten::rand": rand, "aten::randn": randn };
const made = streams.filter(({ calls }) => calls.every(({ op }) => op in MAKE));

describe.each(made.map((stream) => [stream.name, stream] as const))("PyTorch's numbers: %s", (_, { seed, calls }) => {
  const tensors = calls.map(({ op, expected: [{ dtype, shape, data }] }) => {
    const bytes = Uint8Array.from(Buffer.from(data, "base64"));
    return { make: MAKE[op]!, right: hostTensor(dtype, shape, viewAs(dtype, bytes)) };
  });

  it("are drawn from a generator call by call", () => {
    const generator = new CpuGenerator(BigInt(seed));
    for (const { make, right } of tensors) expectNear(make(right.shape, { dtype: right.dtype, generator }), right);
  });

  it("are drawn first after a seed", () => {
    const { make, right } = tensors[0]!;
    expectNear(make(right.shape, { dtype: right.dtype, seed: BigInt(seed) }), right);
  });
});

/** PyTorch's vectorized logarithm and sine differ from JavaScript's in the last place. */
function expectNear(tensor: ReturnType<typeof rand>, right: typeof tensor): void {
  expect(tensor.dtype).toBe(right.dtype);
  const numbers = Array.from(tensor.toFloat32());
  for (const [i, number] of right.toFloat32().entries()) {
    expect(Math.abs(number - numbers[i]!)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(number)));
  }
}

it("streams of rand and randn are there", () => expect(made.length).toBeGreaterThan(10));

it.each([undefined, {}, { seed: 0.5 }, { seed: 2 ** 53 }, { seed: 2n ** 64n }])("%o has no seed", (options) => {
  expect(() => randn([2], options as { seed: number })).toThrow(expect.objectContaining({ code: "backend.seed" }));
});

it.each<[string, object, string]>([
  ["a text for its seed", { seed: "7" }, "backend.options"],
  ["an option that it does not have", { sead: 7 }, "backend.options"],
  ["a seed and a generator", { seed: 7, generator: new CpuGenerator(7) }, "runtime.tensor"],
  ["a generator of nothing", { generator: {} }, "runtime.tensor"],
])("randn() rejects %s", (_, options, code) => {
  expect(() => randn([2], options as { seed: number })).toThrow(expect.objectContaining({ code }));
});

it.each(["int64", "bool", "complex64"] as const)("%s has no random numbers", (dtype) => {
  expect(() => rand([2], { seed: 1, dtype })).toThrow(expect.objectContaining({ code: "runtime.tensor" }));
});
