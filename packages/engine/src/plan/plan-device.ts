import type { DType } from "@pt2/format";
import type { Call, LoweredTensor } from "@pt2/registry";
import type { TypedExpr } from "@pt2/registry/scalar";
import type { ElementwiseGroup, Step } from "../fuse.ts";
import type { Awaitable } from "../staged/awaitable.ts";
import type { Constant, ConstantMemory, DeviceBuffer } from "./constant.ts";
import type { ConstantPool } from "./constant-pool.ts";
import type { PlanBuffer, PlanMemory } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { KernelCall } from "./kernel-call.ts";
import type { TensorView } from "./tensor-view.ts";

/** Where planned steps and their memory go: into a plan, or into the computation of a constant. */
export interface PlanTarget<T extends DeviceTypes> {
  readonly notes: T["notes"];
  /** The calls that are planned now; none while a constant's computation is planned. */
  readonly calls: readonly Call[];
  add(step: T["step"]): void;
  /** Memory until the last step that reads a tensor in it. */
  allocate(bytes: number): DeviceBuffer<T["handle"]>;
  /** Says that the current call reads a buffer. */
  reads(buffer: DeviceBuffer<T["handle"]>): void;
  /** Takes one `reads` of a constant back: it only served to make another one. */
  unreads(constant: Constant<T["handle"]>): void;
}

/** Elementwise ops that are computed where a kernel writes its result 0. */
export interface Epilogue<T extends DeviceTypes> {
  /** Written in place of result 0. */
  readonly output: LoweredTensor;
  readonly expr: TypedExpr;
  /** Operands by the index that `expr` uses; null stands for the kernel's value. */
  readonly inputs: readonly (TensorView<T["handle"]> | null)[];
}

/** Where a plan keeps its tensors. */
export interface TensorTable<T extends DeviceTypes> {
  get(tensor: LoweredTensor): TensorView<T["handle"]> | undefined;
  set(tensor: LoweredTensor, view: TensorView<T["handle"]>): void;
}

/** A call that a kernel plans. */
export interface PlannedCall<T extends DeviceTypes> {
  readonly call: Call;
  readonly table: TensorTable<T>;
  readonly epilogue: Epilogue<T> | null;
}

/** Steps that were planned for a constant, and the memory that they work in. */
export interface ConstantSteps<T extends DeviceTypes> {
  readonly steps: readonly T["step"][];
  readonly notes: T["notes"];
  /** Gives the temporaries of the steps memory, until {@link freeTemporaries}. */
  allocateTemporaries(memory: ConstantMemory<T["handle"]>): void;
  freeTemporaries(memory: ConstantMemory<T["handle"]>): void;
}

/** What only a device can say about planning; everything else is written once, in `planStage`. One for each executable. */
export interface PlanDevice<T extends DeviceTypes> {
  /** Whether rewrites that change bits are forbidden: `precision: "exact"`. */
  readonly exact: boolean;
  readonly constants: ConstantPool<T["handle"]>;
  readonly memory: PlanMemory<T["handle"]>;
  /** What errors about kernels of op sets call a step. */
  readonly stepName: string;
  /** Bytes of an element as the device stores it. */
  itemsize(dtype: DType): number;
  /** Puts contiguous elements in the dtype's own bytes to a contiguous tensor. `what` says whose they are. */
  write(to: TensorView<T["handle"]>, bytes: Uint8Array, what: string): void;
  /** What kernels plan with; of a call where there is one. */
  context(target: PlanTarget<T>, planned?: PlannedCall<T>): T["call"] & T["context"] & KernelCall<T>;
  kernel(call: Call): { prepare(call: T["call"]): void } | undefined;
  /** Plans a loop over elements, of which there are some. */
  elementwise(
    ctx: T["context"],
    out: TensorView<T["handle"]>,
    inputs: readonly TensorView<T["handle"]>[],
    expr: T["expr"],
  ): void;
  /** Plans a copy of some elements, converted where dtypes differ. */
  copy(ctx: T["context"], from: TensorView<T["handle"]>, to: TensorView<T["handle"]>): void;
  /** Computes a constant. */
  compute(work: ConstantSteps<T>): Awaitable<void>;
  /** Begins the notes of a plan, or of the computation of a constant. */
  begin(): T["notes"];
  /** Gives buffers their positions. `after` is the plan whose memory is still in use. */
  layOut(buffers: readonly PlanBuffer<T["handle"]>[], after: T["plan"] | null): T["layout"];
  /**
   * The buffers that a step needs while it runs, where steps say so. Absent where they do not: then a call is taken to
   * read every argument that its kernel has asked for.
   */
  buffersOf?(step: T["step"]): readonly DeviceBuffer<T["handle"]>[];
  /** Refuses a buffer that the device cannot have. */
  checkBuffer?(bytes: number): void;
  /** Strides of the result of an elementwise loop. Default: contiguous. */
  strides?(shape: readonly number[], inputs: readonly TensorView<T["handle"]>[]): readonly number[];
  /** Whether an output can be read as it lies. Default: it can. */
  isReadable?(view: TensorView<T["handle"]>): boolean;
  /** Operands that an elementwise loop may have. Default: that of `fuse`. */
  readonly maxInputs?: number;
  /** Whether elementwise ops may follow the result of this call block by block. */
  takesEpilogue(call: Call, group: ElementwiseGroup): boolean;
  /** Whether the kernel computes these itself; otherwise they follow in place. Default: it does. */
  fusesEpilogue?(result: LoweredTensor, group: ElementwiseGroup): boolean;
  /** Rewrites steps after fusion. Default: they stay. */
  rewriteSteps?(steps: readonly Step[], live: ReadonlySet<LoweredTensor>): readonly Step<T["expr"]>[];
  /** What kernels keep for the executable, by what makes it. */
  readonly state: Map<() => object, object>;
}
