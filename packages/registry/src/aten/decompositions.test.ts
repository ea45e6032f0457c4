import { describe, expect, it } from "vitest";
import { convert } from "../scalar/convert.ts";
import type { TensorMeta } from "../tensor-meta.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import { contiguous } from "../view.ts";
import { isTensorMeta } from "../wrapped.ts";
import { aten } from "./aten-ops.ts";
import { argumentsOf, decode, readRows } from "./op-rows.test-helper.ts";
import { referenceEmitter, runReference } from "./reference/interpret.ts";
import { offsets, type ReferenceData } from "./reference/kernels.ts";

const registry = createRegistry({ sets: [aten] });
const rows = readRows("decompositions");
const node = { name: "n", op: "", args: [], outputs: [], origin: {} };

describe("decompositions give PyTorch's values", () => {
  it.each(rows)("a decomposition gives PyTorch's values: %s %o", (...row) => {
    const [op, , expected] = row;
    const data: ReferenceData = new Map();
    const args = argumentsOf(row, (tensor, elements) => {
      // Elements that a row does not give are 1, 2, 3, …
      const numbers = elements ?? offsets(contiguous(tensor.shape)).map((_, i) => i + 1);
      data.set(
        tensor,
        numbers.map((element) => convert(tensor.dtype, Number(element))),
      );
    });
    const lowered = referenceEmitter(registry);
    const results = lowered.emit(op, args, node).flat().filter(isTensorMeta);
    for (const call of lowered.calls) runReference(call, data);
    const wanted = new Map<TensorMeta, readonly (number | boolean)[]>();
    for (const result of expected) decode(result, (tensor, elements) => wanted.set(tensor, elements!));
    expect(results.map(({ dtype, shape }) => [dtype, shape])).toEqual(
      [...wanted.keys()].map(({ dtype, shape }) => [dtype, shape]),
    );
    for (const [i, elements] of [...wanted.values()].entries()) {
      const values = data.get(results[i]!)!.map(Number);
      expect(values).toHaveLength(elements.length);
      for (const [at, element] of elements.entries()) expect(values[at]).toBeCloseTo(Number(element), 4);
    }
  });
});
