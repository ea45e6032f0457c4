import { sameShape } from "@pt2/format";
import { type Call, type LoweredTensor, type NodeClasses, type Repetition, tensorsIn } from "@pt2/registry";
import { operandsOf, type Step } from "../fuse.ts";
import type { Constant, DeviceBuffer } from "./constant.ts";
import { PlanBuffer } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { EpilogueQuestion, PlanRecords, StepRecord } from "./plan-records.ts";
import type { PlannedStep } from "./planned-stage.ts";
import type { TensorView } from "./tensor-view.ts";

/** What the places of tensors in a step are told apart by. */
type BufferOf = (tensor: LoweredTensor) => DeviceBuffer<unknown> | undefined;

/**
 * The steps of a plan by what they do: those of a class compute calls of equal classes, on tensors that lie alike in
 * buffers of their own. What planning the first of them comes to holds for all, with other buffers.
 */
export class StepClasses {
  /** The position of the first step of each step's class. */
  readonly first: readonly number[];
  /** The first steps, in order. */
  readonly firsts: readonly number[];
  /** The tensors that each step reads and does not make, in order. */
  readonly reads: readonly (readonly LoweredTensor[])[];
  /** The tensors that each step makes, in order. */
  readonly makes: readonly (readonly LoweredTensor[])[];
  /** What runs, and for each step where in that it is; -1 for one that runs nothing. */
  readonly planned: readonly PlannedStep<DeviceTypes>[];
  readonly positions: readonly number[];
  /** One of all questions that have the same answer. */
  readonly questions: readonly EpilogueQuestion[];
  readonly #records: PlanRecords<DeviceTypes>;
  readonly #followers = new Map<number, Followers>();
  readonly #members = new Map<number, number[]>();
  readonly #makers = new Map<LoweredTensor, Maker>();
  /** The class of each tensor's place, the tensors that first steps make of it, and the first steps that read it. */
  readonly #places = new Map<LoweredTensor, string>();
  readonly #sources = new Map<string, LoweredTensor[]>();
  readonly #readers = new Map<string, number[]>();
  #beside: {
    readonly replaced: readonly number[];
    readonly constants: Map<Constant<unknown>, readonly Call[]>;
  } | null = null;

  private constructor(records: PlanRecords<DeviceTypes>, { firstOf, kindOf, isStrict }: ClassLookup) {
    const { steps, inputs, views } = records;
    this.makes = steps.map(({ calls }) => calls.flatMap(({ results }) => results.flatMap(tensorsIn)));
    this.reads = steps.map(({ calls }, at) => {
      const own = new Set(this.makes[at]);
      return [...new Set(calls.flatMap(operandsOf))].filter((tensor) => !own.has(tensor));
    });
    for (const [i, tensor] of inputs.entries()) {
      const place = `${kindOf(tensor) ?? `input ${i}`} ${isStrict ? "" : layoutOf(views.get(tensor)!)}`;
      this.#places.set(tensor, place);
      add(this.#sources, place, tensor);
    }
    const calls = new Map<Call, number>();
    const idOf = (call: Call): number => {
      const first = firstOf(call);
      const id = calls.get(first) ?? calls.size;
      calls.set(first, id);
      return id;
    };
    const asked = new Map<string, EpilogueQuestion>();
    for (const question of records.questions) {
      const { call, group } = question;
      // Equal calls get equal answers.
      const key = `${[call, ...group.calls].map(idOf)}|${group.inputs.length}`;
      if (!asked.has(key)) asked.set(key, question);
    }
    this.questions = [...asked.values()];
    const planned: PlannedStep<DeviceTypes>[] = [];
    this.planned = planned;
    this.positions = steps.map((step) => (step.planned === null ? -1 : planned.push(step.planned) - 1));
    const bufferOf: BufferOf = (tensor) => views.get(tensor)?.buffer;
    const known = new Map<string, number>();
    const first: number[] = [];
    this.first = first;
    this.#records = records;
    for (const [at, record] of steps.entries()) {
      const [reads, makes] = [this.reads[at]!, this.makes[at]!];
      for (const tensor of reads) {
        if (!this.#places.has(tensor)) this.#places.set(tensor, `given ${layoutOf(views.get(tensor)!)}`);
      }
      const key = isAlone(record)
        ? `alone ${at}`
        : [
            wiringOf(record.step, record.calls, idOf),
            reads.map((tensor) => this.#places.get(tensor)),
            buffersOf(record, [...reads, ...makes], bufferOf),
          ].join("|");
      const like = known.get(key) ?? at;
      known.set(key, like);
      first.push(like);
      add(this.#members, like, at);
      for (const [index, tensor] of makes.entries()) {
        this.#makers.set(tensor, { at, like: this.makes[like]![index]! });
        const view = views.get(tensor);
        const kind = isStrict ? undefined : kindOf(tensor);
        const place = kind === undefined || view === undefined ? `${like}.${index}` : `${kind} ${layoutOf(view)}`;
        this.#places.set(tensor, place);
        if (like === at) add(this.#sources, place, tensor);
      }
      if (like === at)
        for (const place of new Set(reads.map((t) => this.#places.get(t)!))) add(this.#readers, place, at);
    }
    this.firsts = [...new Set(first)];
  }

  /** Returns the classes of a plan's steps, given those of its nodes. */
  static of<T extends DeviceTypes>(records: PlanRecords<T>, repetition: Repetition): StepClasses {
    const known = cache.get(records);
    if (known?.nodes === repetition.classes) return known.steps;
    const steps = new StepClasses(records as unknown as PlanRecords<DeviceTypes>, {
      firstOf: (call) => repetition.firstOf(call),
      kindOf: (tensor) => repetition.kindOf(tensor),
      isStrict: repetition.isStrict,
    });
    cache.set(records, { nodes: repetition.classes, steps });
    return steps;
  }

  /** Returns the step that makes a tensor; undefined for one that no step makes. */
  makerOf(tensor: LoweredTensor): Maker | undefined {
    return this.#makers.get(tensor);
  }

  /** Returns the tensor of the first step of the class that makes this one. */
  likeOf(tensor: LoweredTensor): LoweredTensor {
    return this.#makers.get(tensor)?.like ?? tensor;
  }

  /** The positions of all steps of the class that a step is the first of, in order. */
  membersOf(first: number): readonly number[] {
    return this.#members.get(first)!;
  }

  /** The first steps of the classes that read a tensor, or one whose place is like its. */
  readersOf(tensor: LoweredTensor): readonly number[] {
    return this.#readers.get(this.#places.get(tensor)!) ?? [];
  }

  /** Returns the other steps of the class that a step is the first of, and the buffers that they do not share with it. */
  followersOf(first: number): Followers {
    const known = this.#followers.get(first);
    if (known !== undefined) return known;
    const from = this.#buffersIn(first);
    const steps = this.membersOf(first)
      .filter((at) => at !== first)
      .map((at) => ({ at, buffers: this.#buffersIn(at) }));
    const others = [...from.keys()].filter(
      (i) => from.indexOf(from[i]!) === i && steps.some(({ buffers }) => buffers[i] !== from[i]),
    );
    const to = new Map(steps.map(({ at, buffers }) => [at, others.map((i) => buffers[i]!)]));
    const made = { from: others.map((i) => from[i]!), to };
    this.#followers.set(first, made);
    return made;
  }

  #buffersIn(at: number): readonly DeviceBuffer<unknown>[] {
    const { made, constants } = this.#records.steps[at]!;
    return [...this.reads[at]!.map((tensor) => this.#records.views.get(tensor)!.buffer), ...made, ...constants];
  }

  /**
   * Returns the constants that steps read besides those of the classes that were `replaced`, given by their first steps. The
   * last answer is kept, as most sizes change the same steps.
   */
  constantsBeside(replaced: readonly number[]): ReadonlyMap<Constant<unknown>, readonly Call[]> {
    const known = this.#beside;
    if (known !== null && sameShape(known.replaced, replaced)) return known.constants;
    const constants = new Map<Constant<unknown>, readonly Call[]>();
    for (const [at, step] of this.#records.steps.entries()) {
      if (replaced.includes(this.first[at]!)) continue;
      for (const constant of step.constants) if (!constants.has(constant)) constants.set(constant, step.calls);
    }
    this.#beside = { replaced, constants };
    return constants;
  }

  /** Returns the class of a tensor's place. */
  placeOf(tensor: LoweredTensor): string {
    return this.#places.get(tensor)!;
  }

  /** Returns the inputs, and what first steps make, whose places are of a class. */
  sourcesOf(place: string): readonly LoweredTensor[] {
    return this.#sources.get(place) ?? [];
  }
}

/** The step that makes a tensor, and the tensor that the first step of its class makes so. */
interface Maker {
  readonly at: number;
  readonly like: LoweredTensor;
}

/** Buffers of the first step of a class, and what the others have in their place, by the positions of these steps. */
interface Followers {
  readonly from: readonly DeviceBuffer<unknown>[];
  readonly to: ReadonlyMap<number, readonly DeviceBuffer<unknown>[]>;
}

/** What the classes of nodes are looked up with. */
interface ClassLookup {
  readonly firstOf: (call: Call) => Call;
  readonly kindOf: (tensor: LoweredTensor) => string | undefined;
  readonly isStrict: boolean;
}

/** The classes of plans that others were made from, with those of nodes that they follow from. */
const cache = new WeakMap<object, { readonly nodes: NodeClasses; readonly steps: StepClasses }>();

/**
 * Whether a step has to be planned by itself: kernels of packages may count calls, random ones have a state, and what is written
 * in place is a buffer's.
 */
function isAlone({ calls, shared, inPlace }: StepRecord<DeviceTypes>): boolean {
  return (
    !shared ||
    inPlace !== undefined ||
    calls.some(({ packaged, record }) => packaged === true || record.impure === true)
  );
}

/** Describes how a tensor lies in its buffer. */
function layoutOf({ dtype, shape, strides, offset, buffer }: TensorView<unknown>): string {
  return `${dtype}[${shape}]/${strides}+${offset} in ${buffer.bytes}${buffer.constant === null ? "" : "c"}`;
}

/** Whether two tensors lie alike in buffers of their own: {@link layoutOf} describes them alike. */
export function liesLike(a: TensorView<unknown>, b: TensorView<unknown>): boolean {
  return (
    a.dtype === b.dtype &&
    a.offset === b.offset &&
    a.buffer.bytes === b.buffer.bytes &&
    (a.buffer.constant === null) === (b.buffer.constant === null) &&
    sameShape(a.shape, b.shape) &&
    sameShape(a.strides, b.strides)
  );
}

/** Describes the calls of a step, and which reads or makes what. */
function wiringOf(step: Step<unknown>, calls: readonly Call[], idOf: (call: Call) => number): string {
  const tensors = new Map<LoweredTensor, number>();
  const number = (tensor: LoweredTensor): number => {
    const id = tensors.get(tensor) ?? tensors.size;
    tensors.set(tensor, id);
    return id;
  };
  const wires = calls.map((call) => [
    idOf(call),
    operandsOf(call).map(number),
    call.scalar?.operands.map(number),
    call.results.flatMap(tensorsIn).map(number),
  ]);
  const group = step.kind === "call" ? [] : [step.group.inputs.map(number), number(step.group.output)];
  const result = step.kind === "epilogue" ? number(step.result) : "";
  return JSON.stringify([step.kind, wires, group, result]);
}

/** Describes which tensors of a step share buffers, and which buffers are constants. */
function buffersOf(
  { made, constants }: StepRecord<DeviceTypes>,
  tensors: readonly LoweredTensor[],
  bufferOf: BufferOf,
): string {
  const known = new Map<unknown, number>();
  const number = (buffer: DeviceBuffer<unknown> | undefined): string => {
    if (buffer === undefined) return "-";
    const id = known.get(buffer) ?? known.size;
    known.set(buffer, id);
    return `${id}${buffer.constant === null ? "" : "c"}${buffer instanceof PlanBuffer ? "" : "own"}`;
  };
  return [
    made.map(number),
    made.map(({ bytes }) => bytes),
    tensors.map((t) => number(bufferOf(t))),
    constants.map(number),
  ].join(";");
}

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
