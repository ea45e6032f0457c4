import { type Call, type LoweredTensor, tensorsIn } from "@pt2/registry";
import { fuseComplex } from "../complex/fuse-complex.ts";
import { callsOf, fuse, operandsOf, type Step } from "../fuse.ts";
import type { Awaitable } from "../staged/awaitable.ts";
import { isPure } from "../staged/call-key.ts";
import type { RepeatRequest } from "../staged/stage-engine.ts";
import { type BufferUpdate, type UpdatingCall, updatingCalls } from "./buffer-update.ts";
import type { DeviceBuffer } from "./constant.ts";
import { bytesOf } from "./derive.ts";
import { PlanBuffer } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import { JoinedParts } from "./joined-parts.ts";
import type { PlanDevice } from "./plan-device.ts";
import type { CopyRecord, EpilogueQuestion, PlanRecords, StepRecord, UpdateRecord } from "./plan-records.ts";
import type { PlannedStage, PlanRequest } from "./planned-stage.ts";
import { Planner } from "./planner.ts";
import type { Replanner } from "./replanner.ts";
import { type TensorView, viewOf } from "./tensor-view.ts";

/**
 * Plans a stage: views, constants, fused loops, kernels, memory. Nothing runs yet and no weight is read. Kernels load
 * the code that they need.
 */
export async function planStage<T extends DeviceTypes>(
  request: PlanRequest<T>,
  device: PlanDevice<T>,
): Promise<PlannedStage<T>> {
  return await new StagePlanner(request.views, device).plan(request);
}

let replanning: typeof Replanner | undefined;

/**
 * Plans a stage again for other sizes, from the records of its plan and from what the graph comes to now. Returns null
 * where that takes other steps or other memory, and in a page that is offline: the code is loaded when it is needed.
 */
export async function planAgain<T extends DeviceTypes>(
  before: PlanRecords<T>,
  request: RepeatRequest<TensorView<T["handle"]>>,
  device: PlanDevice<T>,
): Promise<PlannedStage<T> | null> {
  // Looking a module up takes a tenth of a millisecond in Node, for each new size.
  replanning ??= (await import("./replanner.ts").catch(() => null))?.Replanner;
  return replanning ? await new replanning(before, request.repetition, device).plan(request) : null;
}

/** A part of a buffer that a call writes, and the copy that it is written into at first. */
interface PlannedUpdate<T extends DeviceTypes> extends UpdatingCall, Pick<BufferUpdate<T>, "refresh"> {
  readonly from: TensorView<T["handle"]>;
  readonly copy: TensorView<T["handle"]>;
}

/** Plans a stage from the beginning, and records what it does where plans may share steps. */
class StagePlanner<T extends DeviceTypes> extends Planner<T> {
  readonly #records: StepRecord<T>[] = [];
  readonly #questions: EpilogueQuestion[] = [];
  /** The buffers that the current step needs. */
  #used = new Set<PlanBuffer<T["handle"]>>();

  async plan({ stage, inputs, views, after, writes = new Map() }: PlanRequest<T>): Promise<PlannedStage<T>> {
    const { device } = this;
    const { live, calls } = stage;
    for (const input of inputs) this.make(input);
    const rest = await this.#foldConstants(calls, live);
    const constantSteps = this.#records.length;
    const fused = fuse(rest, {
      live,
      ...this.limits(),
      takesEpilogue: (call, group) => {
        const answer = device.takesEpilogue(call, group);
        this.#questions.push({ call, group, answer });
        return answer;
      },
    });
    // A plan for other sizes is made step by step, of calls and loops, each of which has its own memory.
    const isRepeated = stage.again !== undefined && device.rebound !== undefined;
    const rewritten = isRepeated ? fused : await fuseComplex<T["expr"]>(fused, live, device.maxComplexParts);
    if (stage.again === undefined && device.readsParts !== undefined) {
      this.joined = new JoinedParts(rewritten, (call) => device.readsParts!(call), {
        get: (tensor) => this.views.get(tensor),
        make: (tensor, strides) => this.make(tensor, strides),
      });
    }
    const updates = await this.#planSteps(rewritten, writes);
    // Outputs may be copied for the caller, which is not where steps find them.
    const found = new Map(this.views);
    const copies =
      stage.end.kind === "return" ? await this.#copyOutputs(stage.end.outputs.flatMap(tensorsIn), calls) : [];
    const committed: UpdateRecord<T>[] = [];
    for (const update of updates) committed.push(await this.#planCommit(update));
    this.now = Number.MAX_SAFE_INTEGER;
    for (const tensor of live) this.uses(this.get(tensor).buffer);
    for (const { copy } of updates) this.uses(copy.buffer);
    this.keepConstants();
    const planned = { ...this.planned(after), updates: committed.map(({ update }) => update) };
    if (device.rebound === undefined || rewritten !== fused || after !== null) return planned;
    const records: PlanRecords<T> = {
      given: views,
      inputs,
      views: found,
      steps: this.#records,
      constantSteps,
      questions: this.#questions,
      copies,
      updates: committed,
      buffers: this.buffers,
      layout: planned.layout,
    };
    return { ...planned, records };
  }

  protected override uses(buffer: DeviceBuffer<T["handle"]>): void {
    super.uses(buffer);
    if (buffer instanceof PlanBuffer) this.#used.add(buffer);
  }

  /** Plans all steps, and returns the updates of buffers among them. */
  async #planSteps(
    steps: readonly Step<T["expr"]>[],
    writes: ReadonlyMap<LoweredTensor, LoweredTensor>,
  ): Promise<readonly PlannedUpdate<T>[]> {
    const { device } = this;
    const updates = new Map<Step<unknown>, PlannedUpdate<T>>();
    if (device.updates !== undefined) {
      // Copies are there before the first step.
      for (const [step, updated] of updatingCalls(steps, writes, (call) => device.updates!(call)))
        updates.set(step, await this.#copyBuffer(updated));
    }
    const replaced = new Set([...writes.values()].map((buffer) => this.get(buffer).buffer));
    for (const step of steps) {
      const update = updates.get(step);
      if (update !== undefined && this.#isApart(update, replaced)) {
        this.set(update.call.results[0] as LoweredTensor, update.copy);
        this.#records.push(await this.#planRecorded(step, update.copy));
      } else {
        updates.delete(step);
        this.#records.push(await this.#planRecorded(step));
      }
    }
    return [...updates.values()];
  }

  async #planRecorded(step: Step<T["expr"]>, inPlace?: TensorView<T["handle"]>): Promise<StepRecord<T>> {
    const calls = callsOf(step);
    const before = this.steps.length;
    const plan = () => (inPlace === undefined ? this.step(step) : this.callInPlace(calls[0]!, inPlace));
    const { constants, made, used } = await this.#record(calls, plan);
    const planned = this.steps[before] ?? null;
    const shared = planned?.work.every((work) => this.device.isShared?.(work) ?? true) ?? true;
    return { step, calls, planned, shared, constants, made, used, inPlace };
  }

  /** Makes the copy of a buffer that runs write a part of. */
  async #copyBuffer({ call, buffer }: UpdatingCall): Promise<PlannedUpdate<T>> {
    const from = this.get(buffer);
    const { dtype, shape } = from;
    const copy = viewOf(this.allocate(bytesOf(this.device, dtype, shape)), { dtype, shape });
    const refresh = await this.apart(() => this.device.context(this).copy(from, copy));
    return { call, buffer, from, copy, refresh };
  }

  /** Whether what a call writes does not lie in buffers, which are replaced before it is written again. */
  #isApart({ call, buffer }: PlannedUpdate<T>, replaced: ReadonlySet<DeviceBuffer<T["handle"]>>): boolean {
    return operandsOf(call).every((operand) => operand === buffer || !replaced.has(this.get(operand)?.buffer));
  }

  /** Plans the call that wrote a part of a copy on the buffer, when all results are there. */
  async #planCommit({ call, from, copy, refresh }: PlannedUpdate<T>): Promise<UpdateRecord<T>> {
    const commit = await this.#planRecorded({ kind: "call", call }, from);
    if (commit.planned !== null) this.steps.pop();
    const work = commit.planned?.work ?? [];
    return { update: { buffer: from.buffer, copy: copy.buffer, refresh, commit: work }, commit };
  }

  async #record(
    calls: readonly Call[],
    plan: () => Awaitable<void>,
  ): Promise<Pick<StepRecord<T>, "constants" | "made" | "used">> {
    const buffers = this.buffers.length;
    this.#used = new Set();
    const constants = await this.planStep(calls, plan);
    return { constants, made: this.buffers.slice(buffers), used: this.#used };
  }

  /** Copies outputs that cannot be read with their present strides, each in a step of its own. */
  async #copyOutputs(outputs: readonly LoweredTensor[], calls: readonly Call[]): Promise<readonly CopyRecord<T>[]> {
    const copies: CopyRecord<T>[] = [];
    for (const output of outputs) {
      const view: TensorView<T["handle"]> | undefined = this.get(output);
      if (view === undefined || (this.device.isReadable?.(view) ?? true)) continue;
      const makers = calls.filter(({ results }) => results.flatMap(tensorsIn).includes(output));
      const { made } = await this.#record(makers, () => this.copyOut(output));
      copies.push({ output, made });
    }
    return copies;
  }

  /**
   * Folds the calls that depend on constants alone, which are computed once for all plans, and returns the other calls.
   */
  async #foldConstants(calls: readonly Call[], live: ReadonlySet<LoweredTensor>): Promise<readonly Call[]> {
    const constant = new Set<LoweredTensor>();
    const isConstant = (tensor: LoweredTensor): boolean =>
      constant.has(tensor) || this.views.get(tensor)?.buffer.constant != null;
    const [own, rest]: [Call[], Call[]] = [[], []];
    for (const call of calls) {
      const results = call.results.flatMap(tensorsIn);
      const placed = call.kind === "view" || results.length === 1;
      const alone = placed && isPure(call) && operandsOf(call).every(isConstant);
      (alone ? own : rest).push(call);
      if (alone) for (const result of results) constant.add(result);
    }
    const needed = new Set([...live, ...rest.flatMap(operandsOf)]);
    for (const step of fuse(own, { live: needed, ...this.limits(), takesEpilogue: () => false })) {
      await this.constantStep(step);
      const calls = callsOf(step);
      this.#records.push({ step, calls, planned: null, shared: true, constants: [], made: [], used: new Set() });
    }
    this.forgetReads();
    return rest;
  }
}
