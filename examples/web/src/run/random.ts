import { DTYPES, type DType, numel } from "@pt2/format";
import { evaluate, evaluateSize, type Program } from "@pt2/graph";
import { type HostTensor, type LeafInfo, tensor } from "@pt2/runtime";
import { indexLimit } from "./index-limit.ts";
import type { Sizes } from "./sizes.ts";

/** A leaf of a call; what was fixed at export is left out. */
export type Leaf = HostTensor | number | bigint | boolean | null;

/** Random inputs of the right dtypes and shapes; the same for the same seed. */
export function randomLeaves(
  program: Program,
  inputs: readonly LeafInfo[],
  sizes: Sizes,
  seed: number,
): readonly Leaf[] {
  const next = generator(seed);
  return inputs.map(({ value, type }) => {
    const known = program.graph.values.get(value ?? "");
    if (type.kind === "tensor" && known?.kind === "tensor") {
      const shape = known.shape.map((size) => evaluateSize(size, sizes));
      return randomTensor(type.dtype, shape, next, () => indexLimit(program, value!));
    }
    if (type.kind === "int") {
      const size = known?.kind === "symint" ? known.value : null;
      return size === null ? 1 : Number(evaluate(size, sizes));
    }
    if (type.kind === "float") return next();
    return type.kind === "bool" ? true : null;
  });
}

/** Elements of a tensor that a page should make. */
const MOST = 2 ** 26;

function randomTensor(dtype: DType, shape: readonly number[], next: () => number, limit: () => number): HostTensor {
  const { kind, itemsize } = DTYPES[dtype];
  const count = numel(shape);
  if (count > MOST)
    throw new Error(`An input of shape [${shape.join(", ")}] is too large for this page: choose smaller sizes.`);
  const fill = (make: () => number): readonly number[] => Array.from({ length: count }, make);
  switch (kind) {
    case "float":
      return tensor(
        dtype,
        shape,
        fill(() => normal(next)),
      );
    case "bool":
      return tensor(
        dtype,
        shape,
        fill(() => (next() < 0.5 ? 1 : 0)),
      );
    case "complex": {
      const parts = Array.from({ length: 2 * count }, () => normal(next));
      if (dtype === "complex64") return tensor(dtype, shape, Float32Array.from(parts));
      if (dtype === "complex128") return tensor(dtype, shape, Float64Array.from(parts));
      return tensor(dtype, shape, new Uint16Array(2 * count));
    }
    default: {
      // Bytes are pixels more often than indices.
      const most = Math.min(dtype === "uint8" ? 256 : limit(), 2 ** (8 * itemsize - 1));
      return tensor(
        dtype,
        shape,
        fill(() => Math.floor(next() * most)),
      );
    }
  }
}

function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** Mulberry32: small, fast, and good enough for inputs. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
