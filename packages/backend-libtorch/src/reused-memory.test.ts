import { type HostTensor, hostTensor, type Value } from "@pt2/backend";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { compileBody, elementsOf } from "./programs.test-helper.ts";

/** Of this size results are lent to JavaScript instead of copied. */
const ROWS = 512;
const COLUMNS = 96;
/** An input that is one number everywhere. */
const filled = (value: number, rows = ROWS): HostTensor =>
  hostTensor("float32", [rows, COLUMNS], new Float32Array(rows * COLUMNS).fill(value));

describeWithLibtorch("memory that runs free", ({ addon }) => {
  it.skipIf(process.platform !== "linux")("serves the runs after them, while small results are kept", async () => {
    const executable = await compileBody(
      new LibtorchBackend(addon),
      `
      user_input %x: f32[1, 3, 224, 224]
      %y: f32[1, 3, 224, 224] = aten::cumsum(%x, dim=2)
      %z: f32[1, 3, 1] = aten::amax(%y, dim=[2, 3])
      return %z`,
    );
    const x = hostTensor("float32", [1, 3, 224, 224], new Float32Array(3 * 224 * 224).fill(1));
    const kept: Value[] = [];
    const run = async (times: number): Promise<number> => {
      const before = process.resourceUsage().minorPageFault;
      for (let i = 0; i < times; i++) kept.push(...(await executable.run([x])));
      return process.resourceUsage().minorPageFault - before;
    };
    await run(100);
    // The input alone has 147 pages.
    expect(await run(200)).toBeLessThan(200 * 30);
    expect(kept).toHaveLength(300);
    await executable.dispose();
  });

  const CHAIN = `
    user_input %x: f32[s0, 96]
    %a: f32[s0, 96] = aten::cumsum(%x, dim=0)
    %b: f32[s0, 96] = aten::flip(%a, dims=[0])
    %c: f32[s0, 96] = aten::cumsum(%b, dim=1)
    %d: f32[s0, 192] = aten::cat(tensors=[%b, %c], dim=1)
    %e: f32[s0, 192] = aten::flip(%d, dims=[1])
    return %c, %e`;

  /** What CHAIN returns for an input that is `value` everywhere: the first and the last element of each result. */
  const cornersOf = (value: number, rows: number): readonly number[] => [
    rows * value,
    COLUMNS * value,
    COLUMNS * rows * value,
    value * rows,
  ];

  const corners = ([c, e]: readonly (Value | undefined)[]): readonly unknown[] => {
    const [first, second] = [elementsOf(c), elementsOf(e)];
    return [first[0], first.at(-1), second[0], second[2 * COLUMNS - 1]];
  };

  it("has nothing of results that are kept, whatever sizes come between", async () => {
    const executable = await compileBody(new LibtorchBackend(addon), CHAIN);
    const kept: { readonly value: number; readonly rows: number; readonly results: readonly Value[] }[] = [];
    for (let i = 0; i < 60; i++) {
      const rows = i % 20 === 19 ? 3 : ROWS;
      kept.push({ value: i, rows, results: await executable.run([filled(i, rows)]) });
    }
    for (const { value, rows, results } of kept) expect(corners(results)).toEqual(cornersOf(value, rows));
    await executable.dispose();
  });

  it("is that of one run at a time", async () => {
    const backend = new LibtorchBackend(addon);
    const executables = [await compileBody(backend, CHAIN), await compileBody(backend, CHAIN)];
    for (let turn = 0; turn < 20; turn++) {
      const runs = Array.from({ length: 8 }, (_, i) => executables[i % 2]!.run([filled(turn * 8 + i)]));
      for (const [i, results] of (await Promise.all(runs)).entries()) {
        expect(corners(results)).toEqual(cornersOf(turn * 8 + i, ROWS));
      }
    }
    for (const executable of executables) await executable.dispose();
  });

  it("is not that of what outlives a run only with some inputs", async () => {
    const executable = await compileBody(
      new LibtorchBackend(addon),
      `
      user_input %x: f32[512, 96]
      user_input %first: bool[]
      %a: f32[512, 96] = aten::cumsum(%x, dim=0)
      %b: f32[512, 96] = aten::flip(%a, dims=[0])
      cond: [%kept: f32[512, 96]] = higher_order::cond(%first, graph yes(%a: f32[512, 96], %b: f32[512, 96]) {
        return %a
      }, graph no(%a: f32[512, 96], %b: f32[512, 96]) {
        return %b
      }, [%a, %b])
      return %kept`,
    );
    const chosen = (first: boolean): HostTensor => hostTensor("bool", [], new Uint8Array([first ? 1 : 0]));
    const kept: { readonly value: number; readonly first: boolean; readonly result: Value | undefined }[] = [];
    for (let i = 1; i < 80; i++) {
      const first = i % 8 < 5;
      kept.push({ value: i, first, result: (await executable.run([filled(i), chosen(first)]))[0] });
    }
    for (const { value, first, result } of kept) {
      const elements = elementsOf(result);
      expect([elements[0], elements.at(-1)]).toEqual(first ? [value, ROWS * value] : [ROWS * value, value]);
    }
    await executable.dispose();
  });
});
