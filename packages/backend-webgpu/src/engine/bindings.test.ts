import { hostTensor } from "@pt2/backend";
import { failureOf, ints, programOf, registryOf, run, someFloats } from "@pt2/conformance";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebgpuBackend } from "../backend.ts";
import { missingDevice, testGpu } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";

const registry = registryOf();

describe.skipIf(missingDevice !== "")(`no more bindings than the default limit${missingDevice}`, () => {
  let device: GPUDevice;
  let backend: WebgpuBackend;
  beforeAll(async () => {
    device = await (await testGpu().requestAdapter())!.requestDevice();
    expect(device.limits.maxStorageBuffersPerShaderStage).toBe(8);
    backend = await webgpu({ device });
  });
  afterAll(async () => {
    await backend.dispose();
    device?.destroy();
  });

  const [type, kept] = ["f32[6, 8]", "f32[6, 1]"];
  const others = ["a", "b", "c"].map((name) => `user_input %${name}: ${type}`).join("\n  ");
  /** Three ops with an operand each after a call that gives `%y`. */
  const tail = `%t: ${type} = aten::add.Tensor(self=%y, other=%a)
  %u: ${type} = aten::mul.Tensor(self=%t, other=%b)
  %v: ${type} = aten::add.Tensor(self=%u, other=%c)`;
  const rest = [2, 3, 4].map((seed) => someFloats(6, 8 * seed).data.slice(0, 48));
  const operands = rest.map((data) => hostTensor("float32", [6, 8], data));
  const finished = (y: number, i: number): number => {
    const [a, b, c] = rest.map((data) => Number(data[i])) as [number, number, number];
    return (y + a) * b + c;
  };

  test("a norm with all its results and an epilogue fits the default limit of bindings", async () => {
    const body = `user_input %x: ${type}
  user_input %g: f32[8]
  user_input %h: f32[8]
  ${others}
  %y: ${type}, %m: ${kept}, %r: ${kept} = aten::native_layer_norm(input=%x, normalized_shape=[8], weight=%g, bias=%h, eps=0.001)
  ${tail}
  return %v, %m, %r`;
    const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
    const x = someFloats(6, 8);
    const [w, means, rstds] = (await run(executable, x, someFloats(8), someFloats(8), ...operands)) as number[][];
    for (const [i, value] of w!.entries()) {
      const row = Math.floor(i / 8);
      const y =
        (Number(x.data[i]) - means![row]!) * rstds![row]! * Number(someFloats(8).data[i % 8]) +
        Number(someFloats(8).data[i % 8]);
      expect(value).toBeCloseTo(finished(y, i), 4);
    }
    await executable.dispose();
  });

  test("an index by three tensors with an epilogue fits the default limit of bindings", async () => {
    const body = `user_input %x: f32[2, 3, 4]
  user_input %i: i64[6, 8]
  user_input %j: i64[8]
  user_input %k: i64[6, 1]
  ${others}
  %y: ${type} = aten::index.Tensor(self=%x, indices=[%i, %j, %k])
  ${tail}
  return %v`;
    const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
    const [x, i, j, k] = [
      someFloats(2, 3, 4),
      ints([6, 8], ...Array.from({ length: 48 }, (_, at) => at % 2)),
      ints([8], 0, 1, 2, 0, 1, 2, 0, 1),
      ints([6, 1], 0, 1, 2, 3, 0, 1),
    ];
    const [w] = (await run(executable, x!, i!, j!, k!, ...operands)) as number[][];
    for (const [at, value] of w!.entries()) {
      const from = 12 * (at % 2) + 4 * Number(j!.data[at % 8]) + Number(k!.data[Math.floor(at / 8)]);
      expect(value).toBeCloseTo(finished(Number(x!.data[from]), at), 5);
    }
    await executable.dispose();
  });

  test("an index by more tensors than can be bound at once runs", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const list = `[${names.map((name) => `%${name}`).join(", ")}]`;
    const program = programOf(`user_input %x: f32[2, 2, 2, 2, 2, 2, 2, 2]
  ${names.map((name) => `user_input %${name}: i64[2]`).join("\n  ")}
  %y: f32[2] = aten::index.Tensor(self=%x, indices=${list})
  %z: f32[2, 2, 2, 2, 2, 2, 2, 2] = aten::index_put(self=%x, indices=${list}, values=%y, accumulate=true)
  %w: f32[2] = aten::index.Tensor(self=%z, indices=${list})
  return %y, %w`);
    const executable = await backend.compile({ program, weights: new Map(), registry });
    const x = someFloats(16, 16).reshape([2, 2, 2, 2, 2, 2, 2, 2]);
    const indices = names.map((_, k) => ints([2], k % 2, k === 7 ? -1 : 0));
    const [y, w] = (await run(executable, x, ...indices)) as [number[], number[]];
    expect(y).toEqual([0b01010101, 1].map((at) => x.data[at]));
    expect(w).toEqual(y.map((value) => 2 * value));
    expect(await failureOf(run(executable, x, ...indices.with(6, ints([2], 0, 2))))).toMatchObject({
      code: "backend.index-out-of-range",
    });
    await executable.dispose();
  });
});
