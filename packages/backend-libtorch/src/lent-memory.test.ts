import { type HostTensor, hostTensor, type Value } from "@pt2/backend";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { compileBody, elementsOf } from "./programs.test-helper.ts";

const COUNT = 1 << 20;
/** Of 4 MB each, these are more than may be lent to JavaScript. */
const MOST_LENT = 70;

describeWithLibtorch("results without a turn of the event loop", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const x = hostTensor("float32", [COUNT], new Float32Array(COUNT).fill(2));
  const megabytes = (): number => process.memoryUsage().rss / 2 ** 20;

  it("are freed when more are made than memory is lent for, of single ops and of runs", async () => {
    const executable = await compileBody(
      torch,
      `user_input %x: f32[1048576]
      %y: f32[1048576] = aten::cumsum(%x, dim=0)
      return %y`,
    );
    const calls: readonly (() => unknown)[] = [
      () => torch.callSync("aten::neg", { self: x }),
      () => executable.runSync?.([x]),
    ];
    const before = megabytes();
    for (const call of calls) {
      for (let i = 0; i < 300; i++) call();
    }
    // All results and copies of arguments would be 3600.
    expect(megabytes() - before).toBeLessThan(1500);
    await executable.dispose();
  });

  it("can be changed and given back, whether they are libtorch's memory or copies of it", () => {
    const held: Value[] = [];
    for (let i = 0; i < MOST_LENT; i++) {
      const [result] = torch.callSync("aten::neg", { self: x }) as readonly [HostTensor];
      held.push(result);
      (result.data as Float32Array)[1] = i;
      const [again] = torch.callSync("aten::slice.Tensor", { self: result, start: 0, end: 3 }) as readonly [HostTensor];
      expect(elementsOf(again)).toEqual([-2, i, -2]);
    }
  });
});
