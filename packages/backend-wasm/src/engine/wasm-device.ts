import { numel } from "@pt2/backend";
import {
  broadcastStrides,
  ConstantPool,
  type ConstantSteps,
  type DeviceBuffer,
  type ElementExpr,
  type ElementwiseGroup,
  type KernelTable,
  type PlanBuffer,
  type PlanDevice,
  type PlannedCall,
  type PlanTarget,
  partOf,
  planArena,
  type RandomState,
  sameStrides,
} from "@pt2/engine";
import { contiguousStrides, DTYPES, type DType } from "@pt2/format";
import type { Call, LoweredTensor } from "@pt2/registry";
import { castTo } from "@pt2/registry/scalar";
import { createElementwiseCompiler, type ElementwiseCompiler, explainTrap } from "../codegen/compiler.ts";
import { blockBytes, coalesce, type Geometry, innerModes, newBlock, writeBlock } from "../codegen/geometry.ts";
import { liftNumbers } from "../codegen/lift-numbers.ts";
import type { InstantiateKernels } from "../instantiate.ts";
import type { Kernels } from "../kernels.gen.ts";
import type { Team } from "../threads/team.ts";
import { Arena } from "./arena.ts";
import { checkRoom } from "./check-plan.ts";
import { clampOf } from "./clamp.ts";
import { HeapLoader } from "./constant-loader.ts";
import { WasmContext } from "./context.ts";
import { newCopyModule } from "./copy-module.ts";
import type { Heap } from "./heap.ts";
import { writeView } from "./host-copy.ts";
import type { PlanContext, WasmKernel, WasmTypes } from "./kernel.ts";
import { LIMITS } from "./limits.ts";
import type { ReadAhead } from "./read-ahead.ts";
import { resultStrides } from "./result-strides.ts";
import { planCopy } from "./strided-copy.ts";
import { addressOf, type TensorView } from "./tensor-view.ts";
import { writing, writtenBy } from "./written-by.ts";

/** Elements of whole vectors of every dtype, and of whole cache lines. */
const UNIT = 64;

/** Elements of an output that are worth a step. */
const LEAST_ORDERED = 1024;

/**
 * The elements that parts of a loop begin at multiples of. Vectors begin with each row, and what is left of a row may be
 * rounded otherwise.
 */
function partUnit({ shape }: Geometry): number {
  const row = shape.at(-1)!;
  return shape.length === 1 || row % UNIT === 0 ? UNIT : row * Math.ceil(UNIT / row);
}

/** The parts of a device. */
export interface WasmDeviceParts {
  readonly heap: Heap;
  readonly readAhead: ReadAhead;
  readonly kernelTable: KernelTable<WasmKernel>;
  readonly exact: boolean;
  readonly random: RandomState;
  /** The threads that compute, which share the heap where there are several. */
  readonly team: Team;
  readonly instantiate: InstantiateKernels;
}

/** The WebAssembly memory of one executable, and what computes in it. */
export class WasmDevice implements PlanDevice<WasmTypes> {
  readonly exact: boolean;
  readonly stepName = "step";
  readonly maxComplexParts = 8;
  readonly writtenBy: NonNullable<PlanDevice<WasmTypes>["writtenBy"]> = writtenBy;
  readonly state: Map<() => object, object> = new Map();
  readonly random: RandomState;
  readonly heap: Heap;
  readonly kernels: Kernels;
  readonly team: Team;
  readonly memory: Arena;
  readonly loader: HeapLoader;
  readonly constants: ConstantPool<number>;
  readonly #kernelTable: KernelTable<WasmKernel>;
  readonly #compiler: ElementwiseCompiler;

  constructor({ heap, readAhead, kernelTable, exact, random, team, instantiate }: WasmDeviceParts) {
    this.heap = heap;
    this.exact = exact;
    this.random = random;
    this.team = team;
    this.kernels = instantiate(heap.memory, team);
    this.memory = new Arena(heap);
    this.#kernelTable = kernelTable;
    this.#compiler = createElementwiseCompiler(heap.memory, team);
    const copies = newCopyModule();
    this.state.set(newCopyModule, copies);
    this.loader = new HeapLoader(heap, readAhead, async () => {
      await this.#compiler.buildAsync();
      await copies.load(heap.memory, team);
    });
    this.constants = new ConstantPool(this.loader);
  }

  itemsize(dtype: DType): number {
    return DTYPES[dtype].itemsize;
  }

  write(to: TensorView, bytes: Uint8Array): void {
    writeView(this.heap, to, bytes);
  }

  context(target: PlanTarget<WasmTypes>, planned?: PlannedCall<WasmTypes>): WasmContext {
    return new WasmContext(this, target, planned);
  }

  kernel(call: Call): WasmKernel | undefined {
    return this.#kernelTable.get(call);
  }

  begin(): null {
    return null;
  }

  /**
   * Channels-last stays channels-last. Constants come last, since they seldom have the layout of the rest of a program.
   */
  strides(shape: readonly number[], inputs: readonly TensorView[]): readonly number[] {
    return resultStrides(shape, inputs, ({ buffer }) => buffer.constant === null);
  }

  /** Steps look up addresses when they run, where other buffers then are in the place of their own. */
  rebound(step: () => void, from: readonly DeviceBuffer<number>[], to: readonly DeviceBuffer<number>[]): () => void {
    return () => {
      for (let i = 0; i < from.length; i++) from[i]!.replace!(to[i]!);
      try {
        step();
      } finally {
        for (const buffer of from) buffer.replace!(null);
      }
    };
  }

  /** Other outputs than these are put in order by vectors, on all threads, before they are copied out. */
  isReadable({ shape, strides }: TensorView): boolean {
    return numel(shape) < LEAST_ORDERED || sameStrides(shape, strides, contiguousStrides(shape));
  }

  readsParts(call: Call): boolean {
    return this.kernel(call)?.readsParts ?? false;
  }

  updates(call: Call): boolean {
    return this.kernel(call)?.updates ?? false;
  }

  takesEpilogue(call: Call): boolean {
    return this.kernel(call)?.clamps?.(call.args) ?? false;
  }

  /** A clamp is computed in the kernel's registers. */
  fusesEpilogue(result: LoweredTensor, { inputs, expr }: ElementwiseGroup): boolean {
    return inputs.length === 1 && result.dtype === "float32" && clampOf(expr) !== null;
  }

  /** Plans a loop, whose code is compiled before the first run. */
  elementwise(ctx: PlanContext, out: TensorView, inputs: readonly TensorView[], expr: ElementExpr): void {
    const isComplex = "parts" in expr;
    const operands = [...inputs, ...(isComplex ? [partOf(out, 0), partOf(out, 1)] : [out])];
    const geometry = coalesce(
      out.shape,
      operands.map((view) => broadcastStrides(view, out.shape)),
      inputs.length,
    );
    const dtypes = operands.map(({ dtype }) => dtype);
    const inner = innerModes(geometry, dtypes);
    const { outputs, numbers } = liftNumbers(isComplex ? expr.parts : [expr], inputs.length);
    const kernel = this.#compiler.add({
      inputs: inputs.map(({ dtype }) => dtype),
      outputs,
      inner,
      isComplex,
      numbers: numbers.map(({ dtype }) => dtype),
    });
    const block = ctx.scratch(blockBytes(geometry, numbers.length));
    const words = newBlock(geometry, dtypes, numbers);
    const pointers = new Array<number>(operands.length).fill(0);
    const count = numel(out.shape);
    const { heap } = this;
    const nanoseconds = count * kernel.nanoseconds;
    const parts = this.team.parts({ items: count, unit: partUnit(geometry), nanoseconds });
    const compute = this.team.step(parts, ({ start, count }) => kernel.run(block.handle, start, count));
    const run = (): void => {
      for (let k = 0; k < operands.length; k++) pointers[k] = addressOf(operands[k]!);
      writeBlock(heap.i32, block.handle, words, pointers);
      try {
        compute();
      } catch (cause) {
        throw explainTrap(cause);
      }
    };
    ctx.step(writing(out, run));
  }

  copy(ctx: PlanContext, from: TensorView, to: TensorView): void {
    if (from.dtype === to.dtype) planCopy(ctx, from, to);
    else this.elementwise(ctx, to, [from], castTo(to.dtype, { kind: "input", dtype: from.dtype, index: 0 }));
  }

  compute(work: ConstantSteps<WasmTypes>): void {
    try {
      work.allocateTemporaries(this.loader);
      for (const run of work.steps) run();
    } finally {
      work.freeTemporaries(this.loader);
    }
  }

  /** Buffers lie after those of the plan before. */
  layOut(buffers: readonly PlanBuffer<number>[], after: WasmTypes["plan"] | null): WasmTypes["layout"] {
    const start = after?.arenaEnd ?? 0;
    const { offsets, bytes } = planArena(buffers);
    checkRoom(start + bytes, buffers);
    for (const [i, buffer] of buffers.entries()) buffer.position = start + offsets[i]!;
    return { end: start + bytes };
  }

  /** Plans that share a layout follow no other one. */
  grow(layout: WasmTypes["layout"], buffers: readonly PlanBuffer<number>[]): boolean {
    const { offsets, bytes } = planArena(buffers.map(({ room, first, last }) => ({ bytes: room, first, last })));
    if (bytes > LIMITS.memoryBytes) return false;
    for (const [i, buffer] of buffers.entries()) buffer.position = offsets[i]!;
    layout.end = bytes;
    return true;
  }
}
