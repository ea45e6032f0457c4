// A third device, for tests: elements are numbers in arrays of the host, a step is a function, and every method answers
// later, as a remote device does. It uses nothing but the planner's own interface.

import { numel, viewAs } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { type Call, createRegistry, type LoweredTensor, type LowerOptions, type RuntimeScalar } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { evaluate, type ScalarValue, type TypedExpr } from "@pt2/registry/scalar";
import { planArena } from "../arena/plan-arena.ts";
import { KernelSet, type OpKernel } from "../staged/kernel-set.ts";
import { type DeviceData, type HostData, isHostData, numberOf, type TensorData } from "../staged/run-value.ts";
import type { RepeatRequest, StageEngine, StagePlan, StageRequest } from "../staged/stage-engine.ts";
import { broadcastStrides } from "../strides/layout.ts";
import { offsetsOf } from "../strides/offsets.ts";
import { Constant, type DeviceBuffer } from "./constant.ts";
import { ConstantPool } from "./constant-pool.ts";
import type { PlanBuffer, PlanMemory } from "./device-buffer.ts";
import { type KernelArgs, type KernelOp, namesOf } from "./kernel-args.ts";
import type { PlanContext } from "./kernel-call.ts";
import type { ConstantSteps, PlanDevice, PlannedCall, PlanTarget } from "./plan-device.ts";
import { planAgain, planStage } from "./plan-stage.ts";
import type { PlannedStage } from "./planned-stage.ts";
import { PlanningContext } from "./planning-context.ts";
import { RandomState } from "./random-state.ts";
import { type TensorView, viewOf } from "./tensor-view.ts";

type Elements = Float64Array;
type View = TensorView<Elements>;

/** The types that plans of this device are made of. */
interface HostTypes {
  readonly handle: Elements;
  readonly step: () => void;
  readonly expr: TypedExpr;
  readonly context: PlanContext<HostTypes>;
  readonly call: HostContext;
  readonly notes: null;
  /** The end of the arena that a stage and those before it use. */
  readonly layout: { end: number };
  readonly plan: HostPlan;
}

interface HostKernel<Args = Call["args"]> extends OpKernel<Args> {
  prepare(call: HostContext, args: Args): void;
}

interface TypedHostKernel<Op extends KernelOp> extends Omit<HostKernel<KernelArgs<Op>>, "ops"> {
  readonly ops: readonly Op[];
}

/** Makes a kernel of one whose arguments are typed by the schemas of its ops. */
function hostKernel<const Op extends KernelOp>(kernel: TypedHostKernel<Op>): HostKernel {
  return { ...(kernel as unknown as HostKernel), ops: namesOf(kernel.ops) };
}

/** The bytes of an element on this device, whatever its dtype. */
const ITEM = 8;

/**
 * What kernels plan with. The device's own addition is the function that a kernel applies to each value before writing
 * it.
 */
class HostContext extends PlanningContext<HostTypes> {
  /** Returns the value to write at element i of result 0, given what the kernel has computed. */
  finisher(): (value: number, i: number) => number {
    const { epilogue } = this.planned;
    if (epilogue === null) return (value) => value;
    const read = epilogue.inputs.map((view) => view && reader(view, epilogue.output.shape));
    return (value, i) =>
      Number(
        evaluate(
          epilogue.expr,
          read.map((each) => (each === null ? value : each()(i))),
        ),
      );
  }
}

/** A matrix product that packs its right operand by columns, and computes its epilogue where it writes. */
const mm: HostKernel = hostKernel({
  ops: ["aten::mm"],
  prepare(call, { self, mat2 }) {
    const [a, b] = [call.tensor(self), call.tensor(mat2)];
    const [rows, inner, columns] = [a.shape[0]!, a.shape[1]!, b.shape[1]!];
    const packed = call.prepared(b, "columns", { dtype: b.dtype, shape: [columns, inner] }, (ctx, from, to) =>
      ctx.copy({ ...from, shape: [columns, inner], strides: [from.strides[1]!, from.strides[0]!] }, to),
    );
    const out = call.output();
    const [x, y, finish] = [reader(a, a.shape), reader(packed, packed.shape), call.finisher()];
    call.step(() => {
      const [left, right] = [x(), y()];
      const { handle } = out.buffer;
      for (let i = 0; i < rows * columns; i++) {
        const [row, column] = [Math.floor(i / columns), i % columns];
        let sum = 0;
        for (let k = 0; k < inner; k++) sum += Number(left(row * inner + k)) * Number(right(column * inner + k));
        handle[out.offset + i] = finish(Math.fround(sum), i);
      }
    });
  },
});

/** Running sums, which take no epilogue. */
const cumsum: HostKernel = hostKernel({
  ops: ["aten::cumsum"],
  accepts: ({ self }) => self.shape.length === 1,
  prepare(call, args) {
    const [self, out] = [call.tensor(args.self), call.output()];
    const from = reader(self, self.shape);
    call.step(() => {
      const read = from();
      let sum = 0;
      for (let i = 0; i < self.shape[0]!; i++) {
        sum = Math.fround(sum + Number(read(i)));
        out.buffer.handle[out.offset + i] = sum;
      }
    });
  },
});

/**
 * Returns a reader of element i of a view over a shape that it broadcasts to; the buffer's memory is looked up when a
 * step begins.
 */
function reader(view: View, shape: readonly number[]): () => (i: number) => ScalarValue {
  const offsets = offsetsOf({ shape, strides: broadcastStrides(view, shape) });
  const isBool = view.dtype === "bool";
  return () => {
    const { handle } = view.buffer;
    return (i) => {
      const value = handle[view.offset + offsets[i]!]!;
      return isBool ? value !== 0 : value;
    };
  };
}

class HostDevice implements PlanDevice<HostTypes> {
  readonly exact = false;
  readonly stepName = "step";
  readonly state: Map<() => object, object> = new Map();
  readonly random: RandomState = new RandomState();
  readonly constants: ConstantPool<Elements> = new ConstantPool({ ...memory, begin() {}, end() {} });
  readonly kernels: KernelSet<HostKernel> = new KernelSet([mm, cumsum]);
  arena: Elements = new Float64Array();
  /** Whether an output is read as it lies; otherwise it is copied first. */
  isReadable: (view: View) => boolean = () => true;
  readonly memory: PlanMemory<Elements> = { at: (offset) => this.arena.subarray(offset / ITEM) };

  itemsize(): number {
    return ITEM;
  }

  write(to: View, bytes: Uint8Array): void {
    to.buffer.handle.set(numbersOf(to.dtype, bytes), to.offset);
  }

  context(target: PlanTarget<HostTypes>, planned?: PlannedCall<HostTypes>): HostContext {
    return new HostContext(this, target, planned);
  }

  kernel(call: Call): HostKernel | undefined {
    return this.kernels.get(call);
  }

  elementwise(ctx: PlanContext<HostTypes>, out: View, inputs: readonly View[], expr: TypedExpr): void {
    const to = offsetsOf(out);
    const readers = inputs.map((view) => reader(view, out.shape));
    ctx.step(() => {
      const read = readers.map((each) => each());
      const { handle } = out.buffer;
      for (let i = 0; i < to.length; i++) {
        handle[out.offset + to[i]!] = Number(
          evaluate(
            expr,
            read.map((at) => at(i)),
          ),
        );
      }
    });
  }

  copy(ctx: PlanContext<HostTypes>, from: View, to: View): void {
    this.elementwise(ctx, to, [from], { kind: "input", dtype: from.dtype, index: 0 });
  }

  compute(work: ConstantSteps<HostTypes>): void {
    work.allocateTemporaries(memory);
    for (const run of work.steps) run();
    work.freeTemporaries(memory);
  }

  begin(): null {
    return null;
  }

  layOut(buffers: readonly PlanBuffer<Elements>[], after: HostPlan | null): HostTypes["layout"] {
    const start = after?.end ?? 0;
    const { offsets, bytes } = planArena(buffers);
    for (const [i, buffer] of buffers.entries()) buffer.position = start + offsets[i]!;
    return { end: start + bytes };
  }

  grow(layout: HostTypes["layout"], buffers: readonly PlanBuffer<Elements>[]): boolean {
    const { offsets, bytes } = planArena(buffers.map(({ room, first, last }) => ({ bytes: room, first, last })));
    for (const [i, buffer] of buffers.entries()) buffer.position = offsets[i]!;
    layout.end = bytes;
    return true;
  }

  rebound(
    step: () => void,
    from: readonly DeviceBuffer<Elements>[],
    to: readonly DeviceBuffer<Elements>[],
  ): () => void {
    return () => {
      for (const [i, buffer] of from.entries()) buffer.replace!(to[i]!);
      step();
      for (const buffer of from) buffer.replace!(null);
    };
  }

  takesEpilogue(call: Call): boolean {
    return call.record.name === "aten::mm";
  }
}

const memory = {
  allocate: (bytes: number): Elements => new Float64Array(bytes / ITEM),
  free(): void {},
};

class HostPlan implements StagePlan<View> {
  readonly stage: PlannedStage<HostTypes>;

  constructor(stage: PlannedStage<HostTypes>) {
    this.stage = stage;
  }

  get steps(): PlannedStage<HostTypes>["steps"] {
    return this.stage.steps;
  }

  get end(): number {
    return this.stage.layout.end;
  }

  get records(): PlannedStage<HostTypes>["records"] {
    return this.stage.records;
  }

  get summary(): string {
    return `${this.end} bytes, ${this.steps.length} steps`;
  }

  view(tensor: LoweredTensor): View {
    return this.stage.views.get(tensor)!;
  }
}

const registry = createRegistry({ sets: [aten] });
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Runs stages on the device, and records in `log` what happened, in order. */
export class HostDeviceEngine implements StageEngine<View, HostPlan> {
  readonly device: HostDevice = new HostDevice();
  readonly lowerOptions: LowerOptions = {
    registry,
    target: {
      name: "device",
      isNative: (op, args) => this.device.kernels.find(op, args) !== undefined,
    },
    handlerContext: () => ({ backend: "device", initial: () => undefined }),
  };
  readonly log: string[] = [];
  /** Plans that were made, in order. */
  readonly plans: HostPlan[] = [];

  /** Returns a weight with these elements, which is read when a plan needs it. */
  weight(name: string, shape: readonly number[], elements: readonly number[]): View {
    const record = new Constant<Elements>(memory, ITEM * elements.length, name, {
      inputs: [],
      isRecord: true,
      produce: async (to) => {
        await later();
        this.log.push(`read ${name}`);
        to.set(elements);
      },
    });
    return viewOf(record, { dtype: "float32", shape });
  }

  async plan(request: StageRequest<View, HostPlan>): Promise<HostPlan> {
    const stage = await planStage(request, this.device);
    this.log.push("plan");
    return await this.#ready(stage);
  }

  async repeat({ records }: HostPlan, request: RepeatRequest<View>): Promise<HostPlan | null> {
    const stage = await planAgain(records!, request, this.device);
    if (stage === null) return null;
    this.log.push("plan again");
    return await this.#ready(stage);
  }

  async #ready(stage: PlannedStage<HostTypes>): Promise<HostPlan> {
    await this.device.constants.load([...stage.constants.keys()]);
    const plan = new HostPlan(stage);
    this.plans.push(plan);
    return plan;
  }

  async write(
    plan: HostPlan,
    tensors: readonly LoweredTensor[],
    values: readonly TensorData[],
    numbers: readonly RuntimeScalar[],
  ): Promise<void> {
    await later();
    const { device } = this;
    if (device.arena.length < plan.end / ITEM) {
      const grown = new Float64Array(plan.end / ITEM);
      grown.set(device.arena);
      device.arena = grown;
    }
    for (const [i, tensor] of tensors.entries()) {
      const value = values[i]!;
      const to = plan.view(tensor);
      if (isHostData(value)) device.write(to, value.bytes);
      else to.buffer.handle.set(handleOf(value));
    }
    for (const number of numbers) plan.view(number).buffer.handle[0] = Number(numberOf(number.number.value));
  }

  async execute({ steps }: HostPlan): Promise<void> {
    await later();
    for (const { work } of steps) for (const run of work) run();
  }

  async read(plan: HostPlan, tensors: readonly LoweredTensor[], to: "host" | "anywhere"): Promise<TensorData[]> {
    const held = tensors.map((tensor): DeviceData => {
      const { dtype, shape } = tensor;
      const read = reader(plan.view(tensor), shape)();
      return { dtype, shape, handle: Float64Array.from({ length: numel(shape) }, (_, i) => Number(read(i))) };
    });
    return to === "host" ? this.fetch(held) : held;
  }

  async fetch(tensors: readonly TensorData[]): Promise<HostData[]> {
    await later();
    this.log.push(`fetch ${tensors.map(({ dtype, shape }) => `${dtype}[${shape}]`)}`);
    return tensors.map((tensor) => (isHostData(tensor) ? tensor : hostDataOf(tensor)));
  }

  release({ stage }: HostPlan): void {
    this.log.push("release");
    this.device.constants.release([...stage.constants.keys()]);
  }
}

/** Returns the elements of a float32 or bool tensor. */
export function elementsOf({ dtype, bytes }: HostData): readonly ScalarValue[] {
  return Array.from(numbersOf(dtype, bytes), (value) => (dtype === "bool" ? value !== 0 : value));
}

function numbersOf(dtype: DType, bytes: Uint8Array): Float64Array {
  return Float64Array.from(viewAs(dtype, bytes) as Float32Array | Uint8Array);
}

function handleOf({ handle }: DeviceData): Elements {
  return handle as Elements;
}

function hostDataOf(tensor: DeviceData): HostData {
  const { dtype, shape } = tensor;
  const array = dtype === "bool" ? Uint8Array.from(handleOf(tensor)) : Float32Array.from(handleOf(tensor));
  return { dtype, shape, bytes: new Uint8Array(array.buffer) };
}
