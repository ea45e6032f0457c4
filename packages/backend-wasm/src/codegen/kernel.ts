// The function of a fused group: loops over the iteration space, four elements at a time in the innermost dimension.
import { DTYPES } from "@pt2/format";
import { type Emitter, emitter } from "./emit.ts";
import { control, type FunctionBody, signed, unsigned } from "./encoder.ts";
import { headerWords, type InnerMode } from "./geometry.ts";
import type { Store } from "./lanes.ts";
import { emitLoops, type Loops } from "./loops.ts";
import { type Node, nodeGraph } from "./nodes.ts";
import { changingNodes, type ElementwiseSpec, LANES, type Step, stepBytes, stepNodes, unrollOf } from "./step.ts";

/**
 * Generates `(block, start, count)`, which computes `count` elements of the iteration space from element `start` on.
 */
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
  const single = stepNodes(g, spec, dtypes, loops, 0, "whole");
  const unroll = unrollOf(single);
  const whole = Array.from({ length: unroll }, (_, copy) => stepNodes(g, spec, dtypes, loops, copy, "whole"));
  const tail = stepNodes(g, spec, dtypes, loops, 0, "tail");
  const roots = [...whole, tail].flatMap(({ registers, addresses }) => [...registers.flat(), ...addresses.flat()]);
  e.hoist(roots, 1);
  emitLoops(e, loops, headerWords(dtypes.length, spec.numbers.length), () => {
    e.hoist(roots, 2);
    if (unroll > 1) emitSteps(e, loops, whole);
    emitSteps(e, loops, [single]);
    e.get(loops.left);
    e.raw(control.if);
    emitTail(e, loops, tail);
    e.raw(control.end);
  });
  return { signature: { params: ["i32", "i32", "i32"], results: [] }, locals: e.locals, code: e.code, name };
}

/** Emits a loop that takes several steps at once, as long as that many elements are left, and advances the pointers. */
function emitSteps(e: Emitter, loops: Loops, steps: readonly Step[]): void {
  const elements = LANES * steps.length;
  e.raw(control.block);
  e.raw(control.loop);
  e.get(loops.left);
  e.op("i32.const", ...signed(elements));
  e.op("i32.lt_u");
  e.raw(control.brIf(1));
  emitTogether(e, steps);
  loops.work.forEach((local, k) => {
    if (loops.inner[k] === "zero") return;
    e.get(local);
    const bytes = stepBytes(loops.inner[k] as InnerMode, loops.itemsize[k] as number);
    if (bytes !== null) e.op("i32.const", ...signed(elements * bytes));
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

/**
 * Emits steps side by side: one instruction of each in turn. A processor looks ahead over some hundred instructions, and an
 * exponential is a chain of that many which wait for each other: one after the other, four of them would take half as
 * long again. Everything is computed before anything is stored, as an output may have the memory of an input.
 */
function emitTogether(e: Emitter, steps: readonly Step[]): void {
  const roots = steps.map(({ registers, addresses }) => [...registers.flat(), ...addresses.flat()]);
  e.region(roots.flat());
  const orders = steps.map(({ registers }) => changingNodes(registers.flat()));
  const longest = Math.max(...orders.map((order) => order.length));
  for (let i = 0; i < longest; i++) {
    for (const order of orders) {
      const node = order[i];
      if (node !== undefined) e.keep(node);
    }
  }
  for (const { registers, stores, addresses } of steps) {
    stores.forEach((list, i) => {
      list.forEach((store, n) => {
        emitStore(e, store, addresses[i]?.[n] as Node, registers[i] as readonly Node[]);
      });
    });
  }
}

function emitStore(e: Emitter, { op, register, lane, offset }: Store, address: Node, registers: readonly Node[]): void {
  e.push(address);
  e.push(registers[register] as Node);
  e.op(op, 0, ...unsigned(offset), ...(lane === undefined ? [] : [lane]));
}

/** Emits the last one to three elements of a row. */
function emitTail(e: Emitter, loops: Loops, { registers, stores, addresses }: Step): void {
  e.region([...registers.flat(), ...addresses.flat()]);
  for (const node of [...registers.flat(), ...addresses.flat()]) e.keep(node);
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
