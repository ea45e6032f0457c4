import { type Call, type LoweredTensor, tensorsIn } from "@pt2/registry";
import { callsOf, fuse, operandsOf, type Step } from "../fuse.ts";
import { isPure } from "../staged/call-key.ts";
import type { DeviceBuffer } from "./constant.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { PlanDevice } from "./plan-device.ts";
import { type EpilogueQuestion, indexSteps, type Placed, type PlanRecords, type StepRecord } from "./plan-records.ts";
import type { PlannedStage, PlanRequest } from "./planned-stage.ts";
import { Planner } from "./planner.ts";
import { Replanner } from "./replanner.ts";
import { SameStructure } from "./same-structure.ts";
import type { TensorView } from "./tensor-view.ts";

/**
 * Plans a stage: views, constants, fused loops, kernels, memory. Nothing runs yet and no weight is read. Kernels load
 * the code that they need. Where the records of a plan for other sizes are given, steps that these do not change are
 * taken from it.
 */
export async function planStage<T extends DeviceTypes>(
  request: PlanRequest<T>,
  device: PlanDevice<T>,
  before?: PlanRecords<T> | undefined,
): Promise<PlannedStage<T>> {
  const same = before && SameStructure.find(before, request, device);
  const again = same && (await new Replanner(before, same, device).plan(request));
  return again ?? (await new StagePlanner(request.views, device).plan(request));
}

/** Plans a stage from the beginning, and records what it does where plans may share steps. */
class StagePlanner<T extends DeviceTypes> extends Planner<T> {
  readonly #records: StepRecord<T>[] = [];
  readonly #questions: EpilogueQuestion[] = [];
  /** The tensors that the current step has placed. */
  #placed: Placed<T>[] = [];

  async plan({ stage, inputs, after }: PlanRequest<T>): Promise<PlannedStage<T>> {
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
    const rewritten = (await device.rewriteSteps?.(fused, live)) ?? fused;
    for (const step of rewritten) await this.#planRecorded(step);
    // Outputs may be copied for the caller, which is not where steps find them.
    const views = new Map(this.views);
    await this.end(stage);
    const planned = this.planned(after);
    if (device.isShared === undefined || rewritten !== fused || after !== null) return planned;
    const steps = this.#records;
    const records: PlanRecords<T> = {
      calls,
      live,
      inputs,
      views,
      steps,
      constantSteps,
      questions: this.#questions,
      lasts: new Map(this.buffers.map((buffer) => [buffer, buffer.last])),
      ...indexSteps(steps),
    };
    return { ...planned, records };
  }

  override set(tensor: LoweredTensor, view: TensorView<T["handle"]>): void {
    super.set(tensor, view);
    this.#placed.push([tensor, view]);
  }

  async #planRecorded(step: Step<T["expr"]>): Promise<void> {
    const calls = callsOf(step);
    const [buffers, before] = [this.buffers.length, this.steps.length];
    this.#placed = [];
    const constants = await this.planStep(calls, () => this.step(step));
    const made = this.buffers.slice(buffers);
    const begins: readonly DeviceBuffer<T["handle"]>[] = made;
    const own = this.#placed.filter(([, { buffer }]) => begins.includes(buffer));
    const planned = this.steps[before] ?? null;
    const shared = planned?.work.every((work) => this.device.isShared?.(work)) ?? true;
    this.#records.push({ step, calls, planned, shared, constants, made, own });
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
      this.#records.push({ step, calls: callsOf(step), planned: null, shared: true, constants: [], made: [], own: [] });
    }
    this.forgetReads();
    return rest;
  }
}
