import {
  type Constant,
  ConstantPool,
  type ConstantSteps,
  type ElementExpr,
  type ElementwiseGroup,
  inParts,
  isComplexDtype,
  type KernelTable,
  operandsOf,
  type PlanBuffer,
  type PlanDevice,
  type PlannedCall,
  type PlanTarget,
  partOf,
  type RandomState,
} from "@pt2/engine";
import type { DType } from "@pt2/format";
import type { Call } from "@pt2/registry";
import { castTo } from "@pt2/registry/scalar";
import { planElementwise } from "../shader/elementwise.ts";
import { storageOf } from "../wgsl/storage.ts";
import { BufferSlots } from "./buffer-slots.ts";
import { WebgpuContext } from "./context.ts";
import type { Device } from "./device.ts";
import { GuardWords } from "./guard-words.ts";
import { writeView } from "./host-copy.ts";
import type { PlanContext, WebgpuKernel, WebgpuTypes } from "./kernel.ts";
import { type Memory, requireBufferSize } from "./memory.ts";
import { planSlots } from "./plan-slots.ts";
import { ReadySteps } from "./ready-steps.ts";
import type { Stream } from "./stream.ts";
import { type Buffer, isCopyable, type TensorView } from "./tensor-view.ts";
import { buffersOf, rebound, type WebgpuStep, writtenBy } from "./webgpu-step.ts";

/** The parts of a device. */
export interface WebgpuDeviceParts {
  readonly gpu: Device;
  readonly memory: Memory;
  readonly stream: Stream;
  readonly kernels: KernelTable<WebgpuKernel>;
  readonly exact: boolean;
  readonly random: RandomState;
  /** Called with the weight records that will be loaded next. */
  readonly expect: (records: readonly Constant<GPUBuffer>[]) => void;
}

/** The GPU as plans of one executable see it. */
export class WebgpuDevice implements PlanDevice<WebgpuTypes> {
  readonly exact: boolean;
  readonly stepName = "shader";
  readonly state: Map<() => object, object> = new Map();
  readonly random: RandomState;
  readonly gpu: Device;
  readonly memory: BufferSlots;
  readonly constants: ConstantPool<GPUBuffer>;
  /** The number of storage bindings of a shader. */
  readonly #bindings: number;
  readonly #parts: WebgpuDeviceParts;

  constructor(parts: WebgpuDeviceParts) {
    const { gpu, memory, exact, random, expect } = parts;
    this.gpu = gpu;
    this.exact = exact;
    this.random = random;
    this.memory = new BufferSlots(memory);
    this.constants = new ConstantPool({
      allocate: (bytes, label) => memory.allocate(bytes, label),
      allocated: (bytes) => memory.allocated(bytes),
      free: (buffer) => memory.free(buffer),
      begin: expect,
      end: () => expect([]),
    });
    this.#bindings = gpu.adapter.limits.maxStorageBuffersPerShaderStage;
    this.#parts = parts;
  }

  get maxInputs(): number {
    return this.#bindings - 1;
  }

  get maxComplexParts(): number {
    return this.maxInputs;
  }

  itemsize(dtype: DType): number {
    return storageOf(dtype, this.gpu.adapter).bytes;
  }

  write(to: TensorView, bytes: Uint8Array, what: string): void {
    writeView(this.#parts.stream, to, bytes, this.gpu.adapter, what);
  }

  context(target: PlanTarget<WebgpuTypes>, planned?: PlannedCall<WebgpuTypes>): WebgpuContext {
    return new WebgpuContext(this, target, planned);
  }

  kernel(call: Call): WebgpuKernel | undefined {
    return this.#parts.kernels.get(call);
  }

  begin(): GuardWords {
    return new GuardWords();
  }

  buffersOf(work: WebgpuStep): readonly TensorView["buffer"][] {
    return buffersOf(work);
  }

  writtenBy(work: WebgpuStep): readonly TensorView["buffer"][] {
    return writtenBy(work);
  }

  /** Elements may take more bytes here than in the dtype that lowering counted. */
  checkBuffer(bytes: number): void {
    requireBufferSize("A tensor", bytes, this.gpu.gpu);
  }

  isReadable(view: TensorView): boolean {
    return isCopyable(view, this.gpu.adapter);
  }

  takesEpilogue(call: Call, group: ElementwiseGroup): boolean {
    const fuses = this.kernel(call)?.fuses ?? false;
    const fits = group.inputs.length - 1 + bindingsOf(call) <= this.#bindings;
    return fits && (typeof fuses === "function" ? fuses(call.args) : fuses);
  }

  updates(call: Call): boolean {
    const updates = this.kernel(call)?.updates ?? false;
    return typeof updates === "function" ? updates(call.args) : updates;
  }

  elementwise(ctx: PlanContext, out: TensorView, inputs: readonly TensorView[], expr: ElementExpr): void {
    planElementwise(ctx as WebgpuContext, out, inputs, expr);
  }

  copy(ctx: PlanContext, from: TensorView, to: TensorView): void {
    const [reads, writes] = [isComplexDtype(from.dtype), isComplexDtype(to.dtype)];
    // A real number has no imaginary part, and of a complex one the real part stays.
    if (writes && !reads) ctx.elementwise(partOf(to, 1), [], { kind: "const", dtype: "float32", value: 0 });
    const source = reads && !writes ? partOf(from, 0) : inParts(from);
    const target = writes && !reads ? partOf(to, 0) : inParts(to);
    ctx.elementwise(target, [source], castTo(target.dtype, { kind: "input", dtype: source.dtype, index: 0 }));
  }

  async compute(work: ConstantSteps<WebgpuTypes>): Promise<void> {
    const { memory, stream } = this.#parts;
    const { steps, notes: guards } = work;
    const ready = await ReadySteps.prepare(this.gpu, memory, steps, { signal: stream.signal });
    try {
      work.allocateTemporaries(memory);
      guards.allocate(memory);
      ready.bind();
      guards.clear(stream);
      for (const item of steps) await ready.run(item, stream);
      stream.submit();
      const { range } = guards;
      if (range !== null) guards.check((await stream.read([range]))[0]!);
    } finally {
      ready.dispose();
      guards.free(memory);
      work.freeTemporaries(memory);
    }
  }

  rebound(work: WebgpuStep, from: readonly Buffer[], to: readonly Buffer[]): WebgpuStep {
    return rebound(work, (buffer) => to[from.indexOf(buffer)] ?? buffer);
  }

  /** The words of guards belong to one plan. */
  isShared(work: WebgpuStep): boolean {
    return !buffersOf(work).some((buffer) => buffer instanceof GuardWords);
  }

  /** Slots lie after those of the plan before. */
  layOut(buffers: readonly PlanBuffer<GPUBuffer>[], after: WebgpuTypes["plan"] | null): WebgpuTypes["layout"] {
    const start = after?.slotEnd ?? 0;
    const { slots, bytes } = planSlots(buffers);
    for (const [i, buffer] of buffers.entries()) buffer.position = start + slots[i]!;
    return { start, sizes: [...bytes] };
  }

  /** Slots grow where they are, so that bind groups of other plans name the right ones. */
  grow({ start, sizes }: WebgpuTypes["layout"], buffers: readonly PlanBuffer<GPUBuffer>[]): boolean {
    const { maxBufferSize, maxStorageBufferBindingSize } = this.gpu.gpu.limits;
    if (buffers.some(({ room }) => room > Math.min(maxBufferSize, maxStorageBufferBindingSize))) return false;
    for (const { position, room } of buffers) sizes[position - start] = Math.max(sizes[position - start]!, room);
    return true;
  }
}

/**
 * Returns the storage bindings that a kernel may need for itself, when elementwise ops with operands of theirs are
 * fused to it: for its arguments and results, a table of its own, and the guard of indices.
 */
function bindingsOf(call: Call): number {
  return Math.max(5, operandsOf(call).length + call.results.length + 1);
}
