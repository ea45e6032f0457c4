import { describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";
import { type BesideCase, besideCases, besideDifference } from "./beside.ts";

/** What comes out depends on the order in which PyTorch writes, as it reaches elements more than once. */
const OVERLAPS = /^unfold that overlaps, mul_ of the result/;
/** A dtype that not every backend has. */
const OTHER_DTYPES = /^hash_tensor$|^view\.dtype, |^_cast_Double|^to float64/;
const REFUSALS: ReadonlySet<string> = new Set(["registry.argument", "graph.mutation", "runtime.unsupported-ops"]);

/** The tests let WebGPU keep float64 as float32, whose bytes are others. */
const FLOAT64_BYTES = /^view\.dtype, wider/;

/** Cases by their first two letters: each takes some milliseconds. */
function groupsOf(cases: readonly BesideCase[]): readonly (readonly [string, readonly BesideCase[]])[] {
  const groups = new Map<string, BesideCase[]>();
  for (const given of cases) {
    const key = given.name.slice(0, 2);
    groups.set(key, [...(groups.get(key) ?? []), given]);
  }
  return [...groups];
}

for (const { name: tested, missing, create, precision } of await testedBackends()) {
  describe(`writes beside results do what they do in PyTorch: ${tested}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    for (const file of ["views", "ops"]) {
      const cases = besideCases(file).filter(({ name }) => tested !== "webgpu" || !FLOAT64_BYTES.test(name));
      it.each(groupsOf(cases))(`${file}, %s…`, async (_, group) => {
        const backend = await create();
        const problems: string[] = [];
        for (const given of group) {
          const mayRefuse = OVERLAPS.test(given.name) || OTHER_DTYPES.test(given.name);
          const found = await besideDifference(given, { backend, precision }).catch((problem) =>
            mayRefuse && REFUSALS.has(problem.code) ? null : `${problem.code}: ${problem.what ?? problem.stack}`,
          );
          if (found !== null) problems.push(`${given.name}: ${found}`);
        }
        expect(problems).toEqual([]);
      });
    }
  });
}
