import { type Call, type LoweredTensor, type Repetition, tensorsIn } from "@pt2/registry";
import { callsOf, type Step } from "../fuse.ts";
import { isPure } from "../staged/call-key.ts";
import type { RepeatRequest } from "../staged/stage-engine.ts";
import type { BufferUpdate } from "./buffer-update.ts";
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
   * For each constant that it reads where equal steps find theirs: the position of what they read, or -1 where it is the
   * previous one. Null if equal steps do not follow from this one.
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
  /** What runs: the previous steps, until others are in their place. */
  readonly #running: PlannedStep<T>[];
  /** The position of the step that is planned; 0 before and after that. */
  #position = 0;
  /** Steps that are still to be planned besides the first ones, the last of them first. */
  readonly #later: number[] = [];
  /** What the first steps of classes came to, by position, if they were planned. */
  readonly #planned = new Map<number, Planned<T>>();
  /** Steps that are the first of no class, and were planned by themselves. */
  readonly #single = new Set<number>();
  /** The present buffers, by those whose place they have. */
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
    for (const at of this.#positions()) {
      this.#position = at;
      this.now = at;
      await (at < constantSteps ? this.#planConstant(steps[at]!, at) : this.#planAgain(steps[at]!, at));
      if (!this.#fits) return null;
    }
    this.#position = 0;
    for (const [first, planned] of this.#planned) this.#setFollowers(first, planned);
    if (!this.#arePlacesAlike()) return null;
    const updates = await this.#planCommits();
    await this.#copyOutputs(outputs);
    if (!this.#fits || !this.#grow()) return null;
    for (const output of outputs) {
      const constant = (this.get(output) as TensorView<T["handle"]> | undefined)?.buffer.constant;
      if (constant != null) this.readInRuns([constant]);
    }
    const view = (tensor: LoweredTensor): TensorView<T["handle"]> | undefined =>
      this.#copied.get(this.#repetition.originOf(tensor)) ?? this.get(tensor);
    // Steps that were planned now have their place; what is left are copies of outputs.
    this.#running.push(...this.steps);
    const constants = new Map(this.#otherConstants);
    for (const [constant, calls] of this.constants) constants.set(constant, calls);
    return { steps: this.#running, views: { get: view }, layout, constants, notes: this.notes, updates };
  }

  /** Gives the positions of steps to plan, in order: the first of each class that differs, and what does not follow from it. */
  *#positions(): Iterable<number> {
    const later = this.#later;
    for (const first of this.#classes.firsts) {
      while (later.length > 0 && later.at(-1)! < first) yield later.pop()!;
      if (this.#differs[first] === 1) yield first;
    }
    while (later.length > 0) yield later.pop()!;
  }

  /** Has steps planned that do not follow from the first of their class. */
  #planLater(positions: readonly number[]): void {
    if (positions.length === 0) return;
    this.#later.push(...positions);
    this.#later.sort((a, b) => b - a);
  }

  /** The constants that steps read which are as before. */
  get #otherConstants(): ReadonlyMap<Constant<T["handle"]>, readonly Call[]> {
    const replaced = this.#classes.firsts.filter((first) => this.#differs[first] === 1);
    return this.#classes.constantsBeside(replaced) as ReadonlyMap<Constant<T["handle"]>, readonly Call[]>;
  }

  /** Returns where a tensor lies now. */
  override get(tensor: LoweredTensor): TensorView<T["handle"]> {
    const before = this.#repetition.originOf(tensor);
    const known = this.views.get(before);
    if (known !== undefined) return known;
    // A result of the current step that has no place yet must not be taken to have the previous one.
    if (this.#results.has(before) && !this.#placed.has(before)) return undefined as never;
    const maker = this.#classes.makerOf(before);
    const view = maker === undefined || maker.like === before ? undefined : this.views.get(maker.like);
    if (view === undefined || this.#single.has(maker!.at)) return this.#before.views.get(before)!;
    const { dtype, shape, strides, offset } = view;
    const moved = { dtype, shape, strides, offset, buffer: this.#moved(view.buffer, maker!.at) };
    this.views.set(before, moved);
    return moved;
  }

  override set(tensor: LoweredTensor, view: TensorView<T["handle"]>): void {
    const before = this.#repetition.originOf(tensor);
    this.#placed.add(before);
    const known = this.#before.views.get(before);
    const isSame = known !== undefined && sameView(known, view);
    if (!isSame || this.#single.has(this.#classes.makerOf(before)?.at ?? -1)) this.#toCompare.add(before);
    if (isSame) {
      this.views.delete(before);
      return;
    }
    this.views.set(before, view);
    for (const reader of this.#classes.readersOf(before)) {
      // One that has been passed reads a tensor that lies as before, where this one is to lie like it.
      if (this.#differs[reader] === 0 && reader < this.#position) this.#fits = false;
      this.#differs[reader] = 1;
    }
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
    // Lifetimes are the previous ones.
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

  async #planConstant(record: StepRecord<T>, at: number): Promise<void> {
    const { first, reads } = this.#classes;
    if (first[at] !== at) this.#single.add(at);
    const step = await this.#stepFor(record);
    if (step === null) return;
    await this.constantStep(step as Step);
    this.forgetReads();
    for (const tensor of reads[at]!) {
      const constant = this.#before.views.get(tensor)?.buffer.constant;
      // Weights would be read again for each size.
      if (constant != null && constant.bytes <= MAX_KEPT) this.readInRuns([constant]);
    }
    if (first[at] === at) this.#planLater(this.#constantsBesides(at));
  }

  /**
   * Returns the steps of a class, which makes constants, that are not the step that is its first, and do not view another
   * constant as that does. What was a view before may be a copy now, in a constant of its own.
   */
  #constantsBesides(first: number): readonly number[] {
    const { reads, makes } = this.#classes;
    const isView = makes[first]!.every((tensor) => {
      // What a loop makes on the way lies nowhere.
      const view = this.get(tensor) as TensorView<T["handle"]> | undefined;
      return view === undefined || reads[first]!.some((read) => this.get(read).buffer === view.buffer);
    });
    if (isView) return [];
    const { from, to } = this.#classes.followersOf(first);
    return [...to].filter(([, buffers]) => buffers.some((buffer, i) => buffer !== from[i])).map(([at]) => at);
  }

  /** Sets the steps of a class that follow from its first. */
  #setFollowers(first: number, { step, constants }: Planned<T>): void {
    if (constants === null) return;
    const { from, to } = this.#classes.followersOf(first);
    const own = from.map((buffer) => (buffer instanceof PlanBuffer ? (this.#buffers.get(buffer) ?? buffer) : buffer));
    const reads = this.#classes.reads[first]!;
    const bufferOf = (tensor: LoweredTensor): DeviceBuffer<T["handle"]> => this.get(tensor).buffer;
    for (const [at, buffers] of to as ReadonlyMap<number, readonly DeviceBuffer<T["handle"]>[]>) {
      const { calls, constants: before } = this.#before.steps[at]!;
      const others = this.#classes.reads[at]!;
      this.calls = calls;
      this.readInRuns(constants.map((read, i) => (read < 0 ? before[i]! : bufferOf(others[read]!).constant!)));
      if (step === null) {
        this.#run(at, null);
        continue;
      }
      const moved = constants.filter((read) => read >= 0 && others[read] !== reads[read]);
      const mine = [...own, ...moved.map((read) => bufferOf(reads[read]!))];
      const theirs = [...buffers, ...moved.map((read) => bufferOf(others[read]!))];
      this.#run(at, { calls, work: step.work.map((work) => this.device.rebound!(work, mine, theirs)) });
    }
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
    if (record.inPlace !== undefined) this.set(callsOf(step)[0]!.results[0] as LoweredTensor, record.inPlace);
    const constants = await this.#planWork(record, step);
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
    const found = this.#constantsOf(at, record, constants);
    this.#planned.set(at, { step: planned, constants: found });
    if (found === null) this.#planLater(this.#classes.membersOf(at).slice(1));
  }

  #planWork({ inPlace }: StepRecord<T>, step: Step<T["expr"]>): Promise<readonly Constant<T["handle"]>[]> {
    const calls = callsOf(step);
    return this.planStep(calls, () => (inPlace === undefined ? this.step(step) : this.callInPlace(calls[0]!, inPlace)));
  }

  /** Plans again what commits updates of buffers. */
  async #planCommits(): Promise<readonly BufferUpdate<T>[]> {
    const updates: BufferUpdate<T>[] = [];
    for (const { update, commit } of this.#before.updates) {
      if (!commit.calls.some((call) => this.#repetition.differs(call))) {
        this.calls = commit.calls;
        this.readInRuns(commit.constants);
        updates.push(update);
        continue;
      }
      const step = await this.#stepFor(commit);
      if (step === null) break;
      this.#begin(commit.made, new Set([...commit.used, ...commit.made]), []);
      await this.#planWork(commit, step);
      this.#end();
      updates.push({ ...update, commit: this.steps.pop()?.work ?? [] });
    }
    return updates;
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
    const first = this.#classes.first[at]!;
    const { from, to } = this.#classes.followersOf(first);
    const index = from.indexOf(placeOf(buffer));
    if (index < 0 && buffer.constant !== null) {
      const { reads } = this.#classes;
      const read = reads[first]!.findIndex((tensor) => this.get(tensor).buffer === buffer);
      if (read >= 0) return this.get(reads[at]![read]!).buffer;
    }
    const other = index < 0 ? buffer : (to.get(at)![index] as DeviceBuffer<T["handle"]>);
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
    const maker = this.#classes.makerOf(tensor);
    const calls = maker === undefined ? [] : this.#before.steps[maker.at]!.calls;
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

  /** Returns a buffer of this many bytes in the place of a previous one. */
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
