import type { HostTensor } from "@pt2/backend";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { compileBody } from "./programs.test-helper.ts";
import { random } from "./random.test-helper.ts";

/** What kernels compute from `%h`, and add `%r` to; all in the same shape. */
const SUMS = {
  "a convolution of single pixels": {
    shape: [1, 128, 37, 41],
    weight: [128, 128, 1, 1],
    product: "aten::conv2d(input=%h, weight=%w)",
  },
  "a convolution in Winograd's algorithm": {
    shape: [2, 64, 37, 41],
    weight: [64, 64, 3, 3],
    product: "aten::conv2d(input=%h, weight=%w, padding=[1, 1])",
  },
  "a product": { shape: [331, 509], weight: [509, 509], product: "aten::linear(input=%h, weight=%w)" },
  "a product that is summed up in parts": {
    shape: [131, 1103],
    weight: [1103, 1103],
    product: "aten::linear(input=%h, weight=%w)",
  },
} as const;

type Sum = (typeof SUMS)[keyof typeof SUMS];

/** Computes what is added: it lies in memory like the sum. */
const computed = ({ shape, product }: Sum): string => `%q: f32[${shape}] = ${product.replace("%h", "%x")}
  %r: f32[${shape}] = aten::relu(%q)`;

/** Adds what `residual` computes as `%r` to the product, and returns the sum and `also`. */
const body = ({ shape, weight, product }: Sum, residual: string, also = ""): string => `
  parameter "w" = %w: f32[${weight}]
  user_input %x: f32[${shape}]
  %h: f32[${shape}] = aten::sigmoid(%x)
  ${residual}
  %p: f32[${shape}] = ${product}
  %s: f32[${shape}] = aten::add.Tensor(%p, other=%r)
  %y: f32[${shape}] = aten::relu(%s)
  return %y${also}`;

describeWithLibtorch("sums in the memory of what was added", ({ addon }) => {
  const open = async (sum: Sum, source: string) => {
    const backend = new LibtorchBackend(addon, { threads: 2 });
    const weights = { w: random(sum.weight, 3, 1 / 16) };
    const executable = await compileBody(backend, source, weights, { precision: "fast" });
    return { backend, executable };
  };
  const areSame = (one: unknown, other: unknown): boolean =>
    Buffer.from((one as HostTensor).bytes).equals(Buffer.from((other as HostTensor).bytes));

  it.each(Object.entries(SUMS))("%s has the same bytes when the residual is read later", async (_, sum) => {
    const x = random(sum.shape);
    const last = await open(sum, body(sum, computed(sum)));
    const kept = await open(sum, body(sum, computed(sum), ", %r"));
    for (let call = 0; call < 4; call++) {
      const [y] = await last.executable.run([x]);
      const [z] = await kept.executable.run([x]);
      expect(areSame(y, z)).toBe(true);
    }
    await Promise.all([last.executable.dispose(), kept.executable.dispose()]);
  });

  it.each(Object.entries(SUMS))("%s leaves an input as it is", async (_, sum) => {
    const x = random(sum.shape);
    const { backend, executable } = await open(sum, body(sum, "").replaceAll("%r", "%x"));
    const [first] = await executable.run([x]);
    const here = await backend.upload(x);
    for (let call = 0; call < 3; call++) {
      for (const given of [x, here]) {
        expect(areSame((await executable.run([given]))[0], first)).toBe(true);
        expect(areSame(executable.runSync!([given])[0], first)).toBe(true);
      }
    }
    expect(areSame(x, random(sum.shape))).toBe(true);
    expect(areSame(await here.cpu(), x)).toBe(true);
    here.dispose();
    await executable.dispose();
  });

  it("a large residual that is read for the last time takes no other memory for the sum", async () => {
    const sum = SUMS["a convolution of single pixels"];
    const bytes = 4 * 128 * 37 * 41;
    const peaks = [];
    for (const source of [body(sum, computed(sum)), body(sum, computed(sum), ", %r")]) {
      const { executable } = await open(sum, source);
      await executable.profile!([random(sum.shape)]);
      peaks.push((await executable.memory!()).activations);
      await executable.dispose();
    }
    expect(peaks[1]! - peaks[0]!).toBeGreaterThanOrEqual(bytes);
  });
});
