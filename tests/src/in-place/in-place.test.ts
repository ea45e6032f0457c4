import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Backend } from "@pt2/backend";
import { DEFAULT_TOLERANCE, type OpCase, runCase } from "@pt2/conformance";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { describe, expect, it } from "vitest";
import { type TestedBackend, testedBackends } from "../backends.ts";
import { fixturePath } from "../fixture.ts";

/** Calls of in-place ops and what PyTorch leaves in memory, as scripts/python/in_place_calls.py writes them. */
const CASES: readonly OpCase[] = JSON.parse(gunzipSync(readFileSync(fixturePath("in-place.json.gz"))).toString("utf8"));
const OPS = [...new Set(CASES.map(({ op }) => op))];
const REGISTRY = createRegistry({ sets: [aten] });

/** The first letters of ops, by which cases are grouped: each takes some milliseconds. */
const LETTERS = [...new Set(OPS.map((op) => op["aten::".length]!))];

/**
 * Calls that backends other than libtorch refuse before anything is computed: mixed dtypes that PyTorch accepts only
 * there, and complex numbers. The reciprocal root of a complex zero has another NaN in it.
 */
const REFUSED =
  /^aten::(gcd_ .*bool|lerp_\.Tensor .*int|masked_fill_\.Tensor .*complex|not_equal_\.\w+ .*complex|rsqrt_ .*complex)/;

/** Returns a backend that compiles everything with one precision. */
function inPrecision(backend: Backend, precision: TestedBackend["precision"]): Backend {
  if (precision === undefined) return backend;
  return new Proxy(backend, {
    get(target, name) {
      if (name === "compile") return (request: object) => target.compile({ ...request, precision } as never);
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

for (const { name: tested, missing, create, precision } of await testedBackends()) {
  describe(`in-place ops leave what PyTorch leaves: ${tested}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    it.each(LETTERS)("%s…", async (letter) => {
      const backend = inPrecision(await create(), precision);
      const problems: string[] = [];
      for (const given of CASES.filter(({ op }) => op["aten::".length] === letter)) {
        const problem = await runCase(backend, given, "inputs", REGISTRY, DEFAULT_TOLERANCE).then(
          () => null,
          (error) =>
            `${given.op} ${given.name} of ${given.tensors.map(({ dtype, shape }) => `${dtype}[${shape}]`)}, ${JSON.stringify(given.args)}: ${error.code ?? ""} ${error.message}`,
        );
        if (problem !== null && !(REFUSED.test(problem) && !tested.startsWith("libtorch"))) problems.push(problem);
      }
      expect(problems).toEqual([]);
    });
  });
}
