// The function of a fused group: loops over the iteration space, four elements at a time in the innermost dimension.
import { DTYPES, type DType } from "@pt2/format";
import type { TypedExpr } from "@pt2/registry/scalar";
import { type Emitter, emitter } from "./emit.ts";
import { control, type FunctionBody, signed, unsigned } from "./encoder.ts";
import { headerWords, type InnerMode } from "./geometry.ts";
import { loadEach, loadSplat, loadUnit, pack, type Store, storeOne, storesUnit } from "./lanes.ts";
import { emitLoops, type Loops } from "./loops.ts";
import { lower } from "./lower.ts";
import { type Node, type NodeGraph, nodeGraph } from "./nodes.ts";

/** What a fused group computes, and how its operands move along the innermost dimension (inputs, then outputs). */
export interface ElementwiseSpec {
  readonly inputs: readonly DType[];
  readonly outputs: readonly TypedExpr[];
  readonly inner: readonly InnerMode[];
}

const LANES = 4;

/** Generates `(block, start, count)`: computes `count` elements of the iteration space from the `start`-th on. */
export function elementwiseKernel(spec: ElementwiseSpec, name: string, callee: (name: string) => number): FunctionBody {
  const dtypes = [...spec.inputs, ...spec.outputs.map(({ dtype }) => dtype)];
  const g = nodeGraph();
  const e = emitter(3, callee);
  const loops: Loops = {
    base: dtypes.map(() => e.newLocal("i32")),
    work: dtypes.map(() => e.newLocal("i32")),
    stride: dtypes.map(() => e.newLocal("i32")),
    left: e.newLocal("i32"),
    itemsize: dtypes.map((dtype) => DTYPES[dtype].itemsize),
    inner: spec.inner,
  };
  const single = body(g, spec, dtypes, loops, 0, "whole");
  const unroll = unrollOf(single);
  const whole = Array.from({ length: unroll }, (_, copy) => body(g, spec, dtypes, loops, copy, "whole"));
  const tail = body(g, spec, dtypes, loops, 0, "tail");
  const roots = [...whole, tail].flatMap(({ registers }) => registers.flat());
  e.hoist([...roots, ...tail.addresses.flat()], 1);
  emitLoops(e, loops, headerWords(dtypes.length), () => {
    e.hoist([...roots, ...tail.addresses.flat()], 2);
    if (unroll > 1)
      emitSteps(e, loops, unroll, () => {
        for (const copy of whole) emitBody(e, copy);
      });
    emitSteps(e, loops, 1, () => emitBody(e, single));
    e.get(loops.left);
    e.raw(control.if);
    emitTail(e, loops, tail);
    e.raw(control.end);
  });
  return { signature: { params: ["i32", "i32", "i32"], results: [] }, locals: e.locals, code: e.code, name };
}

interface Body {
  /** For each output the packed registers to store. */
  readonly registers: readonly (readonly Node[])[];
  /** For each output its stores, and for each store the address. */
  readonly stores: readonly (readonly Store[])[];
  readonly addresses: readonly (readonly Node[])[];
}

/** Nodes of one step: four elements, or in the tail those that are left with the first one repeated. */
function body(
  g: NodeGraph,
  spec: ElementwiseSpec,
  dtypes: readonly DType[],
  loops: Loops,
  copy: number,
  part: "whole" | "tail",
): Body {
  const itemsize = (k: number): number => loops.itemsize[k] as number;
  const work = (k: number): Node => g.local(loops.work[k] as number, "i32", 2);
  const lane = (n: number): Node => {
    if (part === "whole") return g.i32(n + LANES * copy);
    return n === 0 || n === 3
      ? g.i32(0)
      : g.op("i32.mul", g.op("i32.gt_u", g.local(loops.left, "i32", 2), g.i32(n)), g.i32(n));
  };
  const at = (k: number, n: number): Node => {
    const step = spec.inner[k] === "unit" ? g.i32(itemsize(k)) : g.local(loops.stride[k] as number, "i32", 1);
    return n === 0 && copy === 0 ? work(k) : g.op("i32.add", work(k), g.op("i32.mul", lane(n), step));
  };
  const contiguous = (k: number): boolean => spec.inner[k] === "unit" && part === "whole";
  const values = lower(g, spec.outputs, (k) => {
    const dtype = dtypes[k] as DType;
    if (spec.inner[k] === "zero") return loadSplat(g, dtype, g.local(loops.base[k] as number, "i32", 1));
    if (contiguous(k)) return loadUnit(g, dtype, work(k), LANES * copy * itemsize(k));
    return loadEach(g, dtype, [at(k, 0), at(k, 1), at(k, 2), at(k, 3)]);
  });
  const outputs = spec.outputs.map(({ dtype }, i) => {
    const k = spec.inputs.length + i;
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

/** Short bodies are repeated, so that loop counting does not weigh; in long ones it does not anyway. */
function unrollOf({ registers }: Body): number {
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    if (node.level < 2 || seen.has(node)) return;
    seen.add(node);
    node.args.forEach(visit);
  };
  registers.flat().forEach(visit);
  return seen.size <= 32 ? 4 : 1;
}

/** A loop that runs while `LANES * unroll` elements are left, and moves the pointers on. */
function emitSteps(e: Emitter, loops: Loops, unroll: number, step: () => void): void {
  const elements = LANES * unroll;
  e.raw(control.block);
  e.raw(control.loop);
  e.get(loops.left);
  e.op("i32.const", ...signed(elements));
  e.op("i32.lt_u");
  e.raw(control.brIf(1));
  step();
  loops.work.forEach((local, k) => {
    if (loops.inner[k] === "zero") return;
    e.get(local);
    if (loops.inner[k] === "unit") e.op("i32.const", ...signed(elements * (loops.itemsize[k] as number)));
    else {
      e.get(loops.stride[k] as number);
      e.op("i32.const", ...signed(elements));
      e.op("i32.mul");
    }
    e.op("i32.add");
    e.set(local);
  });
  e.get(loops.left);
  e.op("i32.const", ...signed(elements));
  e.op("i32.sub");
  e.set(loops.left);
  e.raw(control.br(0));
  e.raw(control.end);
  e.raw(control.end);
}

/** Everything is computed before anything is stored, as an output may lie in the place of an input. */
function emitBody(e: Emitter, { registers, stores, addresses }: Body): void {
  const all = registers.flat();
  e.region([...all, ...addresses.flat()]);
  if (all.length > 1) for (const node of all) e.settle(node);
  stores.forEach((list, i) => {
    list.forEach((store, n) => {
      emitStore(e, store, addresses[i]?.[n] as Node, registers[i] as readonly Node[]);
    });
  });
}

function emitStore(e: Emitter, { op, register, lane, offset }: Store, address: Node, registers: readonly Node[]): void {
  e.push(address);
  e.push(registers[register] as Node);
  e.op(op, 0, ...unsigned(offset), ...(lane === undefined ? [] : [lane]));
}

/** The last one to three elements of a row. */
function emitTail(e: Emitter, loops: Loops, { registers, stores, addresses }: Body): void {
  e.region([...registers.flat(), ...addresses.flat()]);
  for (const node of [...registers.flat(), ...addresses.flat()]) e.settle(node);
  for (let n = 0; n < LANES - 1; n++) {
    e.get(loops.left);
    e.op("i32.const", n);
    e.op("i32.gt_u");
    e.raw(control.if);
    stores.forEach((list, i) => {
      emitStore(e, list[n] as Store, addresses[i]?.[n] as Node, registers[i] as readonly Node[]);
    });
    e.raw(control.end);
  }
}
