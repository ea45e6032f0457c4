import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";
import { nameOf, type TieCase, tieCases, tieDifference } from "./tie-cases.ts";

const CASES = tieCases();
const OPS = [...new Set(CASES.map(({ op }) => op))];

/** Whether WebGPU may differ: in integers of more than 32 bits, long slices, and `topk` without `sorted`. */
function isOpenOnWebgpu({ op, args, shape, what }: TieCase): boolean {
  const longest = Math.max(...shape);
  if (what === "big" || longest > 16384 || args["sorted"] === false) return true;
  return longest > 2048 && /^(arg|m)?sort/.test(op) && args["stable"] !== true;
}

/** A part of the sizes, because each case compiles shaders of its own. */
const ON_WEBGPU = new Set([2, 17, 67, 257, 5003]);

for (const { name: tested, missing, create } of await testedBackends()) {
  if (tested === "libtorch, fast") continue;
  describe(`equal elements, NaN, zeros and infinities have PyTorch's order: ${tested}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    it.each(OPS)("%s", async (op) => {
      const backend = await create();
      const registry = createRegistry({ sets: [aten] });
      const problems: string[] = [];
      for (const given of CASES.filter((each) => each.op === op)) {
        if (tested === "webgpu" && (!ON_WEBGPU.has(Math.max(...given.shape)) || isOpenOnWebgpu(given))) continue;
        const problem = await tieDifference(given, backend, registry).catch(
          (error) => `${error.code}: ${error.what ?? error.stack}`,
        );
        if (problem !== null) problems.push(`${nameOf(given)}: ${problem}`);
      }
      expect(problems).toEqual([]);
    });
  });
}
