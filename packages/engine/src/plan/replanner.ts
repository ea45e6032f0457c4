import { type Call, type LoweredTensor, type Repetition, tensorsIn } from "@pt2/registry";
import { callsOf, type Step } from "../fuse.ts";
import { isPure } from "../staged/call-key.ts";
import type { RepeatRequest } from "../staged/stage-engine.ts";
import { ChangedSteps } from "./changed-steps.ts";
import type { Constant, DeviceBuffer } from "./constant.ts";
import { bytesOf } from "./derive.ts";
import { PlanBuffer } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { PlanDevice } from "./plan-device.ts";
import type { PlanRecords, StepRecord } from "./plan-records.ts";
import type { PlannedStage, PlannedStep } from "./planned-stage.ts";
import { Planner } from "./planner.ts";
import { liesLike, StepClasses } from "./step-classes.ts";
import { sameView, type TensorView, viewOf } from "./tensor-view.ts";

/** The bytes of the largest constant that is kept for the constants of other sizes. */
const MAX_KEPT = 1 << 20;

/** The most bytes that a buffer which grows gets beyond what it needs, and the most that is more than a quarter of that. */
const [MAX_HEADROOM, MAX_DOUBLED] = [1 << 24, 1 << 20];

/**
 * The bytes that a buffer of so many gets beyond what it needs when buffers grow: as many for small ones, so that a text that
 * grows token by token is laid out anew at each doubling; a quarter for large ones.
 */
function headroom(bytes: number): number {
  return Math.min(bytes, Math.max(bytes >> 2, MAX_DOUBLED), MAX_HEADROOM);
}

/** What planning the first step of a class came to. */
interface Planned<T extends DeviceTypes> {
  readonly step: PlannedStep<T> | null;
  /**
   * For each constant that it reads where equal steps find theirs: the position of what they read, or -1 where it is that
   * of before. Null if equal steps do not follow from this one.
   */
  readonly constants: readonly number[] | null;
}

/**
 * Plans a stage from a plan for other sizes. Every buffer has its place in that plan, so that all sizes share one layout,
 * which grows with the largest. Steps that sizes do not change are those of that plan; of those that they change the first
 * of each class is planned, and the others are the same with other buffers.
 */
export class Replanner<T extends DeviceTypes> extends Planner<T> {
  readonly #before: PlanRecords<T>;
  readonly #repetition: Repetition;
  readonly #changed: ChangedSteps;
  readonly #classes: StepClasses;
  /** Whether the steps of a class have to be planned again, by its first step. */
  readonly #differs: Uint8Array;
  /** What runs: the steps of before, until others are in their place; and which of the steps have been replaced. */
  readonly #running: PlannedStep<T>[];
  readonly #replaced: Uint8Array;
  /** What the first steps of classes came to, by position, if they were planned. */
  readonly #planned = new Map<number, Planned<T>>();
  /** Steps that are the first of no class, and were planned by themselves. */
  readonly #single = new Set<number>();
  /** The buffers of now, by those whose place they have. */
  readonly #buffers = new Map<PlanBuffer<T["handle"]>, PlanBuffer<T["handle"]>>();
  /** Whether buffers need more room than they have. */
  #outgrown = false;
  /** Tensors that were planned and do not lie as before, or may not lie as others that are like them. */
  readonly #toCompare = new Set<LoweredTensor>();
  readonly #copied = new Map<LoweredTensor, TensorView<T["handle"]>>();
  /** The buffers that the current step makes, how many it has made, and all that it may need. */
  #made: readonly PlanBuffer<T["handle"]>[] = [];
  #next = 0;
  #used: ReadonlySet<unknown> = new Set();
  /** The results of the current step, and those that have their place. */
  #results: ReadonlySet<LoweredTensor> = new Set();
  readonly #placed = new Set<LoweredTensor>();
  /** Whether everything has been as before, but for sizes. */
  #fits = true;

  constructor(before: PlanRecords<T>, repetition: Repetition, device: PlanDevice<T>) {
    super(new Map(), device);
    this.#before = before;
    this.#repetition = repetition;
    this.#changed = new ChangedSteps(repetition);
    this.#classes = StepClasses.of(before, repetition);
    this.#running = this.#classes.planned.slice() as PlannedStep<DeviceTypes>[] as PlannedStep<T>[];
    this.#replaced = new Uint8Array(before.steps.length);
    this.#differs = new Uint8Array(before.steps.length);
    for (const at of this.#classes.firsts) {
      const { shared, calls } = before.steps[at]!;
      if (!shared || calls.some((call) => repetition.differs(call))) this.#differs[at] = 1;
    }
  }

  /** Returns null where the plan would need other memory, or other steps. */
  async plan({ views, inputs, outputs }: RepeatRequest<TensorView<T["handle"]>>): Promise<PlannedStage<T> | null> {
    const { given, steps, layout } = this.#before;
    if (views !== given) for (const [tensor, view] of views) if (given.get(tensor) !== view) return null;
    if (!(await this.#answersAsBefore())) return null;
    for (const [i, input] of inputs.entries()) this.#placeInput(this.#before.inputs[i]!, input);
    const { constantSteps } = this.#before;
    for (let at = 0; at < steps.length; at++) {
      if (at === constantSteps) this.forgetReads();
      if (this.#differs[this.#classes.first[at]!] === 0) continue;
      this.#replaced[at] = 1;
      if (at < constantSteps ? this.#followsConstant(at) : this.#follows(at)) continue;
      await (at < constantSteps ? this.#planConstant(steps[at]!, at) : this.#planAgain(steps[at]!, at));
      if (!this.#fits) return null;
    }
    if (!this.#arePlacesAlike()) return null;
    await this.#copyOutputs(outputs);
    if (!this.#fits || !this.#grow()) return null;
    for (const output of outputs) {
      const constant = (this.get(output) as TensorView<T["handle"]> | undefined)?.buffer.constant;
      if (constant != null) this.readInRuns([constant]);
    }
    const view = (tensor: LoweredTensor): TensorView<T["handle"]> | undefined =>
      this.#copied.get(this.#repetition.originOf(tensor)) ?? this.get(tensor);
    // Steps that were planned now have their place; what is left are copies of outputs.
    const running = [...this.#running, ...this.steps];
    const constants = new Map([...this.#otherConstants, ...this.constants]);
    return { steps: running, views: { get: view }, layout, constants, notes: this.notes };
  }

  /** The constants that steps read which are as before. */
  get #otherConstants(): ReadonlyMap<Constant<T["handle"]>, readonly Call[]> {
    return this.#classes.constantsBeside(this.#replaced) as ReadonlyMap<Constant<T["handle"]>, readonly Call[]>;
  }

  /** Returns where a tensor lies now. */
  override get(tensor: LoweredTensor): TensorView<T["handle"]> {
    const before = this.#repetition.originOf(tensor);
    const known = this.views.get(before);
    if (known !== undefined) return known;
    // A result of the current step that has no place yet must not be taken to have that of before.
    if (this.#results.has(before) && !this.#placed.has(before)) return undefined as never;
    const like = this.#classes.likeOf(before);
    const view = like === before ? undefined : this.views.get(like);
    const [at] = this.#classes.makerOf(before) ?? [];
    if (view === undefined || this.#single.has(at!)) return this.#before.views.get(before)!;
    const moved = { ...view, buffer: this.#moved(view.buffer, at!) };
    this.views.set(before, moved);
    return moved;
  }

  override set(tensor: LoweredTensor, view: TensorView<T["handle"]>): void {
    const before = this.#repetition.originOf(tensor);
    this.#placed.add(before);
    const known = this.#before.views.get(before);
    const isSame = known !== undefined && sameView(known, view);
    const [maker] = this.#classes.makerOf(before) ?? [];
    if (!isSame || this.#single.has(maker!)) this.#toCompare.add(before);
    if (isSame) {
      this.views.delete(before);
      return;
    }
    this.views.set(before, view);
    for (const reader of this.#classes.readersOf(before)) this.#differs[reader] = 1;
  }

  override allocate(bytes: number): DeviceBuffer<T["handle"]> {
    this.device.checkBuffer?.(bytes);
    const place = this.#made[this.#next++];
    if (place !== undefined) return this.#at(place, bytes);
    this.#fits = false;
    return super.allocate(bytes);
  }

  protected override isPlaced(tensor: LoweredTensor): boolean {
    return this.#placed.has(this.#repetition.originOf(tensor));
  }

  protected override uses(buffer: DeviceBuffer<T["handle"]>): void {
    // Lifetimes are those of before.
    if (!(buffer instanceof PlanBuffer)) super.uses(buffer);
    else if (!this.#used.has(buffer.place)) this.#fits = false;
  }

  /** Whether tensors whose places are of one class do lie alike. What was taken to follow from them does then. */
  #arePlacesAlike(): boolean {
    const seen = new Map<string, TensorView<T["handle"]>>();
    for (const tensor of this.#toCompare) {
      const place = this.#classes.placeOf(this.#classes.likeOf(tensor));
      const view = this.get(tensor);
      const known = seen.get(place);
      if (known !== undefined) {
        if (!liesLike(view, known)) return false;
        continue;
      }
      seen.set(place, view);
      if (!this.#classes.sourcesOf(place).every((like) => liesLike(this.get(like), view))) return false;
    }
    return true;
  }

  async #answersAsBefore(): Promise<boolean> {
    for (const question of this.#classes.questions) {
      const { call, group } = question;
      if (![call, ...group.calls].some((each) => this.#repetition.differs(each))) continue;
      const answer = await this.#changed.ask(question, (now, grown) => this.device.takesEpilogue(now, grown));
      if (answer !== question.answer) return false;
    }
    return true;
  }

  #placeInput(before: LoweredTensor, { dtype, shape }: LoweredTensor): void {
    const { buffer } = this.#before.views.get(before)!;
    this.set(
      before,
      viewOf(this.#at(buffer as PlanBuffer<T["handle"]>, bytesOf(this.device, dtype, shape)), { dtype, shape }),
    );
  }

  /**
   * Whether a step that makes constants needs no planning: it is an equal one's, or views another constant as that does. What was
   * a view before may be a copy now, in a constant of its own.
   */
  #followsConstant(at: number): boolean {
    const { first, reads, makes } = this.#classes;
    const like = first[at]!;
    if (like === at) return false;
    if (this.#classes.buffersOf(at).from.length === 0) return true;
    return makes[like]!.every((tensor) => {
      // What a loop makes on the way lies nowhere.
      const view = this.get(tensor) as TensorView<T["handle"]> | undefined;
      return view === undefined || reads[like]!.some((read) => this.get(read).buffer === view.buffer);
    });
  }

  async #planConstant(record: StepRecord<T>, at: number): Promise<void> {
    if (this.#classes.first[at] !== at) this.#single.add(at);
    const step = await this.#stepFor(record);
    if (step === null) return;
    await this.constantStep(step as Step);
    for (const tensor of this.#classes.reads[at]!) {
      const constant = this.#before.views.get(tensor)?.buffer.constant;
      // Weights would be read again for each size.
      if (constant != null && constant.bytes <= MAX_KEPT) this.readInRuns([constant]);
    }
  }

  /** Sets a step that needs no planning: it is like the first of its class, on other buffers. */
  #follows(at: number): boolean {
    const first = this.#classes.first[at]!;
    const record = this.#before.steps[at]!;
    const planned = first === at ? undefined : this.#planned.get(first);
    if (planned === undefined || planned.constants === null) return false;
    const [reads, others] = [this.#classes.reads[first]!, this.#classes.reads[at]!];
    const constants = planned.constants.map((read, i) => {
      return read < 0 ? record.constants[i]! : this.get(others[read]!).buffer.constant!;
    });
    this.now = at;
    this.calls = record.calls;
    this.readInRuns(constants);
    if (planned.step === null) this.#run(at, null);
    else {
      const { from, to } = this.#classes.buffersOf(at);
      const own = from.map((buffer) => (buffer instanceof PlanBuffer ? (this.#buffers.get(buffer) ?? buffer) : buffer));
      const read = planned.constants.filter((each) => each >= 0);
      const work = planned.step.work.map((each) => {
        if (read.length === 0) return this.device.rebound!(each, own, to);
        const now = read.map((i) => this.get(reads[i]!).buffer);
        return this.device.rebound!(each, [...own, ...now], [...to, ...read.map((i) => this.get(others[i]!).buffer)]);
      });
      this.#run(at, { calls: record.calls, work });
    }
    return true;
  }

  /** Sets what runs for a step; it has to be something where it was before. */
  #run(at: number, step: PlannedStep<T> | null): void {
    const position = this.#classes.positions[at]!;
    if (step === null || position < 0) this.#fits &&= step === null && position < 0;
    else this.#running[position] = step;
  }

  async #planAgain(record: StepRecord<T>, at: number): Promise<void> {
    if (this.#classes.first[at] !== at) this.#single.add(at);
    const step = await this.#stepFor(record);
    if (step === null) return;
    this.#begin(record.made, new Set([...record.used, ...record.made]), this.#classes.makes[at]!);
    this.now = at;
    const constants = await this.planStep(callsOf(step), () => this.step(step));
    const planned = this.steps.pop() ?? null;
    this.#run(at, planned);
    this.#end();
    for (const tensor of this.#classes.makes[at]!) {
      const known = this.#before.views.get(tensor);
      const view = this.get(tensor) as TensorView<T["handle"]> | undefined;
      if (known !== undefined && (view === undefined || placeOf(view.buffer) !== placeOf(known.buffer)))
        this.#fits = false;
    }
    if (this.#classes.first[at] !== at) return;
    this.#planned.set(at, { step: planned, constants: this.#constantsOf(at, record, constants) });
  }

  /** Returns where equal steps find their constants; null unless the results of this one lie in buffers of its own. */
  #constantsOf(
    at: number,
    { made, constants: before }: StepRecord<T>,
    constants: readonly Constant<T["handle"]>[],
  ): readonly number[] | null {
    const reads = this.#classes.reads[at]!.map((tensor) => placeOf(this.get(tensor).buffer));
    const own = new Set<unknown>([...made, ...constants, ...reads]);
    const liesInOwn = this.#classes.makes[at]!.every((tensor) => {
      const view = this.get(tensor) as TensorView<T["handle"]> | undefined;
      return view === undefined || own.has(placeOf(view.buffer));
    });
    if (!liesInOwn || constants.length !== before.length) return null;
    const found = constants.map((constant, i) => (constant === before[i] ? -1 : reads.indexOf(constant)));
    return found.every((read, i) => read >= 0 || constants[i] === before[i]) ? found : null;
  }

  /** Returns the buffer of a step that has the part of one of the first step of its class. */
  #moved(buffer: DeviceBuffer<T["handle"]>, at: number): DeviceBuffer<T["handle"]> {
    const { from, to } = this.#classes.buffersOf(at);
    const index = from.indexOf(placeOf(buffer));
    if (index < 0 && buffer.constant !== null) {
      const { reads, first } = this.#classes;
      const read = reads[first[at]!]!.findIndex((tensor) => this.get(tensor).buffer === buffer);
      if (read >= 0) return this.get(reads[at]![read]!).buffer;
    }
    const other = index < 0 ? buffer : (to[index] as DeviceBuffer<T["handle"]>);
    return other instanceof PlanBuffer ? this.#at(other.place, buffer.bytes) : other;
  }

  async #copyOutputs(outputs: readonly LoweredTensor[]): Promise<void> {
    const { copies } = this.#before;
    let next = 0;
    for (const output of outputs) {
      const before = this.#repetition.originOf(output);
      const view = this.get(output) as TensorView<T["handle"]> | undefined;
      if (this.#copied.has(before) || view === undefined || (this.device.isReadable?.(view) ?? true)) continue;
      const copy = copies[next++];
      if (copy?.output !== before) break;
      const place = view.buffer instanceof PlanBuffer ? [view.buffer.place] : [];
      this.#begin(copy.made, new Set([...copy.made, ...place]), []);
      await this.planStep(this.#makersOf(before), () => this.copyOut(output));
      this.#end();
      this.#copied.set(before, this.views.get(before)!);
      this.views.set(before, view);
    }
    if (next !== copies.length) this.#fits = false;
  }

  #makersOf(tensor: LoweredTensor): readonly Call[] {
    const [at] = this.#classes.makerOf(tensor) ?? [];
    const calls = at === undefined ? [] : this.#before.steps[at]!.calls;
    return calls.filter(({ results }) => results.flatMap(tensorsIn).includes(tensor));
  }

  async #stepFor({ step, calls }: StepRecord<T>): Promise<Step<T["expr"]> | null> {
    const now = await this.#changed.step(step);
    // Of a call that reads nothing it depends on sizes whether it is a constant.
    if (now === null || callsOf(now).some((call, i) => isPure(call) !== isPure(calls[i]!))) {
      this.#fits = false;
      return null;
    }
    return now;
  }

  #begin(
    made: readonly PlanBuffer<T["handle"]>[],
    used: ReadonlySet<unknown>,
    results: readonly LoweredTensor[],
  ): void {
    this.#made = made;
    this.#next = 0;
    this.#used = used;
    this.#results = new Set(results);
    this.#placed.clear();
  }

  #end(): void {
    if (this.#next !== this.#made.length) this.#fits = false;
    this.#results = new Set();
  }

  /** Returns a buffer of this many bytes in the place of one of before. */
  #at(place: PlanBuffer<T["handle"]>, bytes: number): PlanBuffer<T["handle"]> {
    const known = this.#buffers.get(place);
    if (known?.bytes === bytes) return known;
    if (bytes > place.room) this.#outgrown = true;
    const use = { step: this.now, calls: this.calls };
    const buffer = bytes === place.bytes ? place : new PlanBuffer(this.device.memory, bytes, use, place);
    this.#buffers.set(place, buffer);
    return buffer;
  }

  /**
   * Gives buffers more room, with some to spare for the next sizes. All that sizes change get it at once, since laying out
   * takes as long for one as for all.
   */
  #grow(): boolean {
    if (!this.#outgrown) return true;
    const { layout, buffers } = this.#before;
    const rooms = this.#roomsWanted();
    const before = [...rooms.keys()].map((place) => [place, place.room] as const);
    for (const [place, room] of rooms) place.room = room;
    if (this.device.grow!(layout, buffers)) return true;
    for (const [place, room] of before) place.room = room;
    return false;
  }

  /** The rooms that places should have whose buffers have other sizes than when they were laid out first. */
  #roomsWanted(): ReadonlyMap<PlanBuffer<T["handle"]>, number> {
    const rooms = new Map<PlanBuffer<T["handle"]>, number>();
    const want = (place: PlanBuffer<T["handle"]>, bytes: number): void => {
      const changes = bytes !== place.bytes || place.room !== place.bytes;
      if (changes) rooms.set(place, Math.max(rooms.get(place) ?? place.room, bytes + headroom(bytes)));
    };
    for (const [place, { bytes }] of this.#buffers) want(place, bytes);
    const { steps } = this.#before;
    for (const first of this.#planned.keys()) {
      for (const [index, place] of steps[first]!.made.entries()) {
        const bytes = this.#buffers.get(place)?.bytes;
        if (bytes === undefined) continue;
        for (const member of this.#classes.membersOf(first)) want(steps[member]!.made[index]!, bytes);
      }
    }
    return rooms;
  }
}

function placeOf(buffer: DeviceBuffer<unknown>): DeviceBuffer<unknown> {
  return buffer instanceof PlanBuffer ? buffer.place : buffer;
}
