import { hostTensor, type Value } from "@pt2/backend";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { compileBody } from "./programs.test-helper.ts";

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
});
