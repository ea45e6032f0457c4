import { hostTensor, type Prefetch } from "@pt2/backend";
import { expect, it } from "vitest";
import { fixturePath, idleBackend } from "./fixtures.test-helper.ts";
import { load } from "./node.ts";

it("a backend gets a program whose ops are loaded, may load others, and is called once", async () => {
  const calls: string[] = [];
  let discarded = 0;
  const prefetch: Prefetch = { discard: async () => void discarded++ };
  const idle = idleBackend();
  const backend = idleBackend({
    prefetch: () => prefetch,
    async unsupported() {
      calls.push("unsupported");
      return [];
    },
    async compile(request) {
      const { registry } = request;
      calls.push(request.prefetch === undefined ? "compile" : "compile with prefetch");
      expect(registry.resolve("aten::linear")?.name).toBe("aten::linear");
      expect(registry.resolve("aten::upsample_nearest2d.vec")).toBeUndefined();
      await registry.load(["aten::upsample_nearest2d.vec"]);
      expect(registry.resolve("aten::upsample_nearest2d.vec")?.name).toBe("aten::upsample_nearest2d.vec");
      const executable = await idle.compile(request);
      return {
        ...executable,
        async run(inputs) {
          calls.push("run");
          expect(registry.resolve("torch_nn::_linear_cross_entropy_batch_chunked")).toBeUndefined();
          return await executable.run(inputs);
        },
      };
    },
  });
  await using model = await load(fixturePath("torch-2.13/mlp.pt2"), { backend });
  expect(discarded).toBe(0);
  await model.run({ args: [hostTensor("float32", [5, 7], new Float32Array(35))], kwargs: {} });
  expect(calls).toEqual(["compile with prefetch", "run"]);
});
