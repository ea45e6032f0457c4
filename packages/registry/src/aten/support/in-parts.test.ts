import { expect, test } from "vitest";
import { builderOf } from "../../builder.ts";
import { Emitter, SHAPES_ONLY } from "../../lower/emit.ts";
import type { ArgValue, TensorMeta } from "../../tensor-meta.ts";
import { createRegistry } from "../../user-ops/create-registry.ts";
import { contiguous } from "../../view.ts";
import { isTensorMeta } from "../../wrapped.ts";
import { aten } from "../aten-ops.ts";
import { referenceEmitter, runReference } from "../reference/interpret.ts";
import { offsets, type ReferenceData } from "../reference/kernels.ts";
import { emit } from "./emit.ts";
import { inParts } from "./in-parts.ts";

const registry = createRegistry({ sets: [aten] });
const node = { name: "n", op: "", args: [], outputs: [], origin: {} };

/** Lowers a call until nothing but `native` ops is left, and returns the elements of the largest result. */
function largest(op: string, args: Readonly<Record<string, ArgValue>>): number {
  const emitter = new Emitter(registry, { name: "test", isNative: (name) => name !== op });
  emitter.emit(op, args, node);
  const results = emitter.calls.flatMap((call) => call.results.flat().filter(isTensorMeta));
  return Math.max(...results.map(({ shape }) => shape.reduce((product, size) => product * size, 1)));
}

const float32 = (...shape: number[]): TensorMeta => ({ dtype: "float32", shape });

test("all distances between many rows need no more room than a part or the result", () => {
  expect(largest("aten::cdist", { x1: float32(2000, 128), x2: float32(2000, 128), p: 1 })).toBe(2000 * 2000);
  expect(largest("aten::_pdist_forward", { self: float32(2000, 128), p: 1 })).toBe(2000 * 2000);
  const distances = float32(2000, 2000);
  const gradient = { grad: distances, x1: float32(2000, 128), x2: float32(2000, 128), p: 3, cdist: distances };
  expect(largest("aten::_cdist_backward", gradient)).toBeLessThanOrEqual(2 ** 20);
});

test("batches count, whichever operand has them", () => {
  const largestOf = (a: TensorMeta, b: TensorMeta) => largest("aten::cdist", { x1: a, x2: b, p: 1 });
  expect(largestOf(float32(3, 1, 100, 64), float32(2, 100, 64))).toBeLessThanOrEqual(2 ** 20);
});

test("few rows are one part, which is no view", () => {
  const emitter = new Emitter(registry, SHAPES_ONLY);
  const b = builderOf((op, args) => emitter.emit(op, args, node));
  const self = float32(5, 2);
  expect(inParts(b, 5, 4, (part) => part(self))).toBe(self);
  expect(inParts(b, 0, 0, (part) => part(self))).toBe(self);
  expect(emitter.calls).toEqual([]);
});

test("parts are put together in their order, and the last one may be shorter", () => {
  const emitter = referenceEmitter(registry);
  const b = builderOf((op, args) => emitter.emit(op, args, node));
  const self = float32(2, 5, 3);
  const data: ReferenceData = new Map([[self, offsets(contiguous(self.shape))]]);
  const made: TensorMeta[] = [];
  const result = inParts(b, 5, 2 ** 19, (part) => {
    made.push(part(self));
    return emit(b).mul(made.at(-1)!, 2);
  });
  for (const call of emitter.calls) runReference(call, data);
  expect(made.map(({ shape }) => shape)).toEqual([
    [2, 2, 3],
    [2, 2, 3],
    [2, 1, 3],
  ]);
  expect(data.get(result)).toEqual(data.get(self)!.map((x) => Number(x) * 2));
});
