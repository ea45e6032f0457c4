// One step of the innermost loop, as nodes.
import type { DType } from "@pt2/format";
import type { TypedExpr } from "@pt2/registry/scalar";
import { type InnerMode, numberWord } from "./geometry.ts";
import {
  interleaved,
  type Lanes,
  loadEach,
  loadPairs,
  loadSplat,
  loadUnit,
  pack,
  type Store,
  storeOne,
  storesUnit,
} from "./lanes.ts";
import { BLOCK, type Loops } from "./loops.ts";
import { lower } from "./lower.ts";
import type { Node, NodeGraph } from "./nodes.ts";

/** What a fused group computes, and how its operands move along the innermost dimension (inputs, then outputs). */
export interface ElementwiseSpec {
  readonly inputs: readonly DType[];
  readonly outputs: readonly TypedExpr[];
  readonly inner: readonly InnerMode[];
  /** Whether the outputs are two, the real and the imaginary parts of complex numbers. */
  readonly isComplex?: boolean;
  /** Dtypes of numbers in the block: expressions have them as inputs after the tensors. */
  readonly numbers: readonly DType[];
}

/** The elements of a step. */
export const LANES = 4;

/** Nodes of one step. */
export interface Step {
  /** For each output the packed registers to store. */
  readonly registers: readonly (readonly Node[])[];
  /** For each output its stores, and for each store the address. */
  readonly stores: readonly (readonly Store[])[];
  readonly addresses: readonly (readonly Node[])[];
}

/** Makes a step: four elements, or in the tail those that are left with the first one repeated. */
export function stepNodes(
  g: NodeGraph,
  spec: ElementwiseSpec,
  dtypes: readonly DType[],
  loops: Loops,
  copy: number,
  part: "whole" | "tail",
): Step {
  const itemsize = (k: number): number => loops.itemsize[k] as number;
  const work = (k: number): Node => g.local(loops.work[k] as number, "i32", 2);
  const lane = (n: number): Node => {
    if (part === "whole") return g.i32(n + LANES * copy);
    return n === 0 || n === 3
      ? g.i32(0)
      : g.op("i32.mul", g.op("i32.gt_u", g.local(loops.left, "i32", 2), g.i32(n)), g.i32(n));
  };
  const at = (k: number, n: number): Node => {
    const bytes = stepBytes(spec.inner[k] as InnerMode, itemsize(k));
    const step = bytes !== null ? g.i32(bytes) : g.local(loops.stride[k] as number, "i32", 1);
    return n === 0 && copy === 0 ? work(k) : g.op("i32.add", work(k), g.op("i32.mul", lane(n), step));
  };
  const contiguous = (k: number): boolean => spec.inner[k] === "unit" && part === "whole";
  const isPaired = (k: number): boolean => spec.inner[k] === "pair" && part === "whole";
  const values = lower(g, spec.outputs, (k) => {
    const number = spec.numbers[k - spec.inputs.length];
    if (number !== undefined) {
      const word = numberWord(dtypes.length, k - spec.inputs.length);
      return loadSplat(g, number, g.local(BLOCK, "i32", 0), 4 * word);
    }
    const dtype = dtypes[k] as DType;
    if (spec.inner[k] === "zero") return loadSplat(g, dtype, g.local(loops.base[k] as number, "i32", 1));
    if (contiguous(k)) return loadUnit(g, dtype, work(k), LANES * copy * itemsize(k));
    if (isPaired(k)) return loadPairs(g, dtype, work(k), 2 * LANES * copy * itemsize(k));
    return loadEach(g, dtype, [at(k, 0), at(k, 1), at(k, 2), at(k, 3)]);
  });
  const outputs = spec.outputs.map(({ dtype }, i) => {
    const k = spec.inputs.length + i;
    if (spec.isComplex === true && isPaired(k)) {
      // The real parts are stored with the imaginary ones.
      if (i > 0) return { stores: [], addresses: [], registers: [] };
      const registers = interleaved(g, dtype, ...(values as readonly [Lanes, Lanes]));
      const first = 2 * LANES * copy * itemsize(k);
      const stores = registers.map((_, n): Store => ({ op: "v128.store", register: n, offset: first + 16 * n }));
      return { stores, addresses: stores.map(() => work(k)), registers };
    }
    const stores = contiguous(k)
      ? storesUnit(dtype, LANES * copy * itemsize(k))
      : [0, 1, 2, 3].map((n) => storeOne(dtype, n));
    return {
      stores,
      addresses: stores.map((_, n) => (contiguous(k) ? work(k) : at(k, n))),
      registers: pack(g, dtype, values[i] as readonly Node[]),
    };
  });
  return {
    registers: outputs.map(({ registers }) => registers),
    stores: outputs.map(({ stores }) => stores),
    addresses: outputs.map(({ addresses }) => addresses),
  };
}

/** Returns the bytes from an element to the next along the innermost dimension; null where the block says. */
export function stepBytes(mode: InnerMode, itemsize: number): number | null {
  return mode === "unit" ? itemsize : mode === "pair" ? 2 * itemsize : null;
}

/** Returns the nodes under `roots` whose values are others in each step, operands before their users. */
export function changingNodes(roots: readonly Node[]): readonly Node[] {
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    if (node.level < 2 || seen.has(node)) return;
    node.args.forEach(visit);
    seen.add(node);
  };
  roots.forEach(visit);
  return [...seen];
}

/** Returns how many steps are computed side by side. The code of more than this many nodes would take long to compile. */
export function unrollOf({ registers }: Step): number {
  return changingNodes(registers.flat()).length <= 128 ? 4 : 1;
}
