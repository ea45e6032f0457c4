import { CpuGenerator, drawNormal, type HostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { floatToBits } from "@pt2/format";
import { expect, test } from "vitest";
import { WasmBackend } from "../../backend.ts";
import { divided } from "../../threads/divided.test-helper.ts";

const COUNTS = [1, 15, 16, 17, 31, 32, 100, 4099, 70_000];
const registry = registryOf();

test.each([
  ["float32", "f32"],
  ["float16", "f16"],
  ["bfloat16", "bf16"],
] as const)(
  "normal numbers of %s are those of the host, one call after the other, by any number of threads",
  async (dtype, type) => {
    const lines = COUNTS.map(
      (count, i) => `
      %r${i}: ${type}[${count}] = aten::randn(size=[${count}], dtype=torch.${dtype})
      %e${i}: ${type}[${count}] = aten::empty.memory_format(size=[${count}], dtype=torch.${dtype})
      %n${i}: ${type}[${count}] = aten::normal_functional(self=%e${i}, mean=-3.1, std=0.7)
      %u${i}: f32[1] = aten::rand(size=[1])`,
    );
    const generator = new CpuGenerator(7);
    const right = COUNTS.flatMap((count) => {
      const numbers = [drawNormal(generator, dtype, count), drawNormal(generator, dtype, count, -3.1, 0.7)].map(
        (drawn) =>
          dtype === "float32"
            ? new Uint32Array(Float32Array.from(drawn).buffer)
            : Uint16Array.from(drawn, (x) => floatToBits(dtype, x)),
      );
      return [...numbers, new Uint32Array(Float32Array.of((generator.random() & 0xffffff) / 2 ** 24).buffer)];
    });
    for (const threads of [1, 2, 5]) {
      await using backend = new WasmBackend(divided(threads));
      backend.manualSeed(7);
      const program = programOf(`${lines.join("")}
      return ${COUNTS.map((_, i) => `%r${i}, %n${i}, %u${i}`).join(", ")}`);
      const executable = await backend.compile({ program, weights: weightsOf({}), registry });
      const results = (await executable.run([])) as readonly HostTensor[];
      for (const [i, { bytes }] of results.entries()) {
        expect(Buffer.compare(bytes, new Uint8Array(right[i]!.buffer)), `result ${i}`).toBe(0);
      }
    }
  },
);
