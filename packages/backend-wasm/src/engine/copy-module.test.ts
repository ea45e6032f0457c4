import { hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { kernelsBase64 } from "../kernels/copy/copies.gen.ts";
import { ALONE } from "../threads/team.ts";
import { CopyModule } from "./copy-module.ts";
import { runBody } from "./programs.test-helper.ts";

test("the module of all copies loads when a plan wants it, and once", async () => {
  expect(kernelsBase64.length).toBeGreaterThan(0);
  const module = new CopyModule();
  const memory = new WebAssembly.Memory({ initial: 1 });
  await module.load(memory, ALONE);
  expect(module.kernels).toBeNull();
  await module.want().load(memory, ALONE);
  const { kernels } = module;
  expect(kernels?.copy1).toBeTypeOf("function");
  await module.load(memory, ALONE);
  expect(module.kernels).toBe(kernels);
});

test("outputs are in order, whatever the strides that a program left them with", async () => {
  const [h, w] = [60, 70];
  const x = hostTensor(
    "uint8",
    [h, w, 3],
    Uint8Array.from({ length: h * w * 3 }, (_, i) => i % 251),
  );
  const y = hostTensor(
    "complex128",
    [h, w],
    Float64Array.from({ length: 2 * h * w }, (_, i) => i),
  );
  const [[planes, turned, again, flipped]] = (await runBody(
    `
  user_input %x: u8[${h}, ${w}, 3]
  user_input %y: c128[${h}, ${w}]
  %p: u8[3, ${h}, ${w}] = aten::permute(self=%x, dims=[2, 0, 1])
  %t: c128[${w}, ${h}] = aten::t(self=%y)
  %f: f32[${h}, ${w}, 3] = aten::to.dtype(self=%x, dtype=torch.float32)
  %q: f32[3, ${h}, ${w}] = aten::permute(self=%f, dims=[2, 0, 1])
  %r: u8[3, ${h}, ${w}] = aten::flip(self=%p, dims=[2])
  return %p, %t, %q, %r`,
    [[x, y]],
  )) as [number[][]];
  const at = (c: number, i: number, j: number): number => (3 * (i * w + j) + c) % 251;
  for (let c = 0; c < 3; c++) {
    for (let i = 0; i < h; i++) {
      for (let j = 0; j < w; j++) {
        const place = (c * h + i) * w + j;
        const [a, b, d] = [planes![place], again![place], flipped![place]];
        if (a !== at(c, i, j) || b !== at(c, i, j) || d !== at(c, i, w - 1 - j)) expect([a, b, d]).toEqual(at(c, i, j));
      }
    }
  }
  expect(turned).toEqual(
    Array.from({ length: 2 * h * w }, (_, n) => {
      const [j, i] = [Math.floor(n / 2 / h), Math.floor(n / 2) % h];
      return 2 * (i * w + j) + (n % 2);
    }),
  );
});

test("outputs are in order for every size of a program, few elements or many", async () => {
  const sizes = [
    [10, 12],
    [60, 70],
    [80, 50],
    [9, 10],
    [64, 90],
  ] as const;
  const inputs = sizes.map(([h, w]) => [
    hostTensor(
      "float32",
      [h, w],
      Float32Array.from({ length: h * w }, (_, i) => i),
    ),
  ]);
  const runs = await runBody(
    `
  user_input %x: f32[s0, s1]
  %y: f32[s0, s1] = aten::neg(self=%x)
  %t: f32[s1, s0] = aten::t(self=%y)
  return %t`,
    inputs,
  );
  for (const [run, [h, w]] of sizes.entries()) {
    const [turned] = runs[run] as [number[]];
    expect(turned).toEqual(Array.from({ length: h * w }, (_, n) => -((n % h) * w + Math.floor(n / h))));
  }
});
