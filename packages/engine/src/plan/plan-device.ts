import type { DType } from "@pt2/format";
import type { Call, LoweredTensor } from "@pt2/registry";
import type { TypedExpr } from "@pt2/registry/scalar";
import type { ElementwiseGroup } from "../fuse.ts";
import type { Awaitable } from "../staged/awaitable.ts";
import type { Constant, ConstantMemory, DeviceBuffer } from "./constant.ts";
import type { ConstantPool } from "./constant-pool.ts";
import type { PlanBuffer, PlanMemory } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { KernelCall } from "./kernel-call.ts";
import type { RandomState } from "./random-state.ts";
import type { TensorView } from "./tensor-view.ts";

/** Receives planned steps and gives them memory: a plan, or the computation of a constant. */
export interface PlanTarget<T extends DeviceTypes> {
  readonly notes: T["notes"];
  /** The calls that are being planned; none while a constant's computation is planned. */
  readonly calls: readonly Call[];
  add(step: T["step"]): void;
  /** Allocates memory that lasts until the last step that reads a tensor in it. */
  allocate(bytes: number): DeviceBuffer<T["handle"]>;
  /** Records that the current call reads a buffer. */
  reads(buffer: DeviceBuffer<T["handle"]>): void;
  /** Takes back one `reads` of a constant that only served to make another one. */
  unreads(constant: Constant<T["handle"]>): void;
}

/** Elementwise ops that are computed where a kernel writes its result 0. */
export interface Epilogue<T extends DeviceTypes> {
  /** The tensor that is written in place of result 0. */
  readonly output: LoweredTensor;
  readonly expr: TypedExpr;
  /** Operands by the index that `expr` uses; null stands for the kernel's value. */
  readonly inputs: readonly (TensorView<T["handle"]> | null)[];
}

/** The memory of a plan's tensors. */
export interface TensorTable<T extends DeviceTypes> {
  get(tensor: LoweredTensor): TensorView<T["handle"]> | undefined;
  set(tensor: LoweredTensor, view: TensorView<T["handle"]>): void;
  /**
   * Returns where a tensor lies that is joined to others, in memory of the whole; undefined if it is joined to none, or if its
   * strides there are not such as the kernel `takes`. `strides` are those of the tensor by itself. Absent where no tensor has
   * memory of another.
   */
  partFor?(
    tensor: LoweredTensor,
    strides: readonly number[],
    takes: (strides: readonly number[]) => boolean,
  ): TensorView<T["handle"]> | undefined;
}

/** A call that a kernel plans. */
export interface PlannedCall<T extends DeviceTypes> {
  readonly call: Call;
  readonly table: TensorTable<T>;
  readonly epilogue: Epilogue<T> | null;
}

/** Steps that were planned for a constant, and the memory that they use. */
export interface ConstantSteps<T extends DeviceTypes> {
  readonly steps: readonly T["step"][];
  readonly notes: T["notes"];
  /** Gives the temporaries of the steps memory, until {@link freeTemporaries}. */
  allocateTemporaries(memory: ConstantMemory<T["handle"]>): void;
  freeTemporaries(memory: ConstantMemory<T["handle"]>): void;
}

/**
 * The part of planning that differs from device to device; everything else is written once, in `planStage`. Each
 * executable has one.
 */
export interface PlanDevice<T extends DeviceTypes> {
  /** Whether rewrites that change bits are forbidden: `precision: "exact"`. */
  readonly exact: boolean;
  readonly constants: ConstantPool<T["handle"]>;
  readonly memory: PlanMemory<T["handle"]>;
  /** The word that errors about kernels of op sets use for a step. */
  readonly stepName: string;
  /** Returns the bytes of an element as the device stores it. */
  itemsize(dtype: DType): number;
  /**
   * Writes contiguous elements, in the dtype's own bytes, to a contiguous tensor. `what` names the tensor in errors.
   */
  write(to: TensorView<T["handle"]>, bytes: Uint8Array, what: string): void;
  /** Makes the context that kernels plan with, for a call where there is one. */
  context(target: PlanTarget<T>, planned?: PlannedCall<T>): T["call"] & T["context"] & KernelCall<T>;
  /** Returns the kernel of a call. It plans at once, or after it has loaded the code that this call needs. */
  kernel(call: Call): { prepare(call: T["call"], args: Call["args"]): Awaitable<void> } | undefined;
  /** Plans a loop over at least one element. */
  elementwise(
    ctx: T["context"],
    out: TensorView<T["handle"]>,
    inputs: readonly TensorView<T["handle"]>[],
    expr: T["expr"],
  ): void;
  /** Plans a copy of at least one element, converted where dtypes differ. */
  copy(ctx: T["context"], from: TensorView<T["handle"]>, to: TensorView<T["handle"]>): void;
  /** Computes a constant. */
  compute(work: ConstantSteps<T>): Awaitable<void>;
  /** Starts the notes of a plan, or of the computation of a constant. */
  begin(): T["notes"];
  /** Gives buffers their positions, with room for `room` bytes each. `after` is the plan whose memory is still in use. */
  layOut(buffers: readonly PlanBuffer<T["handle"]>[], after: T["plan"] | null): T["layout"];
  /** Changes a layout, all of whose buffers these are, for the room that they need now; false if there is none. */
  grow?(layout: T["layout"], buffers: readonly PlanBuffer<T["handle"]>[]): boolean;
  /**
   * Returns a step that does the same with the buffers `to` in place of its own `from`, each of which is there once. Without
   * this method and {@link grow} each plan is made from the beginning; with them, a plan for other sizes than another one
   * shares its steps.
   */
  rebound?(
    step: T["step"],
    from: readonly DeviceBuffer<T["handle"]>[],
    to: readonly DeviceBuffer<T["handle"]>[],
  ): T["step"];
  /** Whether plans may share a step. Default: yes. */
  isShared?(step: T["step"]): boolean;
  /**
   * Returns the buffers that a step needs while it runs. Without this method a call is taken to read every argument
   * that its kernel has looked up.
   */
  buffersOf?(step: T["step"]): readonly DeviceBuffer<T["handle"]>[];
  /**
   * Returns the buffers that a step writes; undefined if that is unknown, as it always is without this method. Such a
   * step is taken to write every result.
   */
  writtenBy?(step: T["step"]): readonly DeviceBuffer<T["handle"]>[] | undefined;
  /** Refuses a buffer that is larger than the device allows. */
  checkBuffer?(bytes: number): void;
  /** Returns the strides of the result of an elementwise loop. Default: contiguous. */
  strides?(shape: readonly number[], inputs: readonly TensorView<T["handle"]>[]): readonly number[];
  /** Whether an output can be read with its present strides. Default: yes. */
  isReadable?(view: TensorView<T["handle"]>): boolean;
  /** The most operands that an elementwise loop may have. Default: that of `fuse`. */
  readonly maxInputs?: number;
  /**
   * Whether the kernel of a call reads tensors whose elements lie between others, without a copy. Tensors that only such calls
   * read, and loops, may lie where they are joined to others. Absent where each tensor has memory of its own.
   */
  readsParts?(call: Call): boolean;
  /**
   * Whether the kernel of a call writes a part of its first argument, which it copies unless result 0 lies there already. It
   * then reads nothing of it. Absent where no kernel does.
   */
  updates?(call: Call): boolean;
  /** Whether elementwise ops may follow the result of this call block by block. */
  takesEpilogue(call: Call, group: ElementwiseGroup): boolean;
  /** Whether the kernel computes its epilogue itself; otherwise the epilogue runs in place after it. Default: yes. */
  fusesEpilogue?(result: LoweredTensor, group: ElementwiseGroup): boolean;
  /**
   * The most real and imaginary parts that a loop over complex numbers may read. Absent where `elementwise` computes real numbers
   * alone, whose expressions are `TypedExpr`, not `ElementExpr`.
   */
  readonly maxComplexParts?: number;
  /** State that kernels share within the executable, by the function that makes it. */
  readonly state: Map<() => object, object>;
  /** What kernels of the backend draw random numbers from. */
  readonly random: RandomState;
}
