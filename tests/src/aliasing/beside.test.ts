import { describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";
import { type BesideCase, besideCases, besideDifference } from "./beside.ts";

/** Results of these depend on the order in which PyTorch writes, as it reaches elements more than once. */
const OVERLAPS = /^unfold that overlaps, mul_ of the result/;
/** A dtype that not every backend has. */
const OTHER_DTYPES = /^hash_tensor$|^view\.dtype, |^_cast_Double|^to float64/;
const REFUSALS: ReadonlySet<string> = new Set(["registry.argument", "graph.mutation", "runtime.unsupported-ops"]);
const NARROWED: ReadonlySet<string> = new Set(["webgpu.dtype"]);

/** The tests let WebGPU keep float64 as float32: it refuses to show the bytes. */
const FLOAT64_BYTES = /^view\.dtype, wider/;

/** Groups cases by their first two letters: each takes some milliseconds. */
function groupsOf(cases: readonly BesideCase[]): readonly (readonly [string, readonly BesideCase[]])[] {
  const groups = new Map<string, BesideCase[]>();
  for (const given of cases) {
    const key = given.name.slice(0, 2);
    groups.set(key, [...(groups.get(key) ?? []), given]);
  }
  return [...groups];
}

for (const { name: tested, missing, create, precision } of await testedBackends()) {
  describe(`writes to tensors that share memory with results are PyTorch's: ${tested}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    for (const file of ["views", "ops"]) {
      it.each(groupsOf(besideCases(file)))(`${file}, %s…`, async (_, group) => {
        const backend = await create();
        const problems: string[] = [];
        for (const given of group) {
          const mayRefuse = OVERLAPS.test(given.name) || OTHER_DTYPES.test(given.name);
          const refusals = tested === "webgpu" && FLOAT64_BYTES.test(given.name) ? NARROWED : REFUSALS;
          const found = await besideDifference(given, { backend, precision }).catch((problem) =>
            mayRefuse && refusals.has(problem.code) ? null : `${problem.code}: ${problem.what ?? problem.stack}`,
          );
          if (found !== null) problems.push(`${given.name}: ${found}`);
        }
        expect(problems).toEqual([]);
      });
    }
  });
}
