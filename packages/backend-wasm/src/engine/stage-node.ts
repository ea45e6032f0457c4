import { operandsOf } from "@pt2/backend";
import type { Graph } from "@pt2/graph";
import { isRunNumber, type LoweredTensor, type RunNumber, type Stage } from "@pt2/registry";
import { writeElement, writePlace } from "./elements.ts";
import type { ExecutableState } from "./executable-state.ts";
import { foldBatchNorm } from "./fold-batch-norm.ts";
import type { GraphRunner } from "./graph-runner.ts";
import type { Heap } from "./heap.ts";
import { requireBytes } from "./host-values.ts";
import { locate } from "./located.ts";
import { addressOf, type Place } from "./place.ts";
import { planStage, type StagePlan } from "./plan.ts";
import { type Cached, PlanCache } from "./plan-cache.ts";
import { hostDataIn, type RunValue } from "./run-value.ts";
import { numberOf } from "./scalar-constant.ts";
import type { StandIns } from "./stand-ins.ts";

/** Plans for more inputs than this are dropped, the least used first: of a graph, behind a boundary, for called ops. */
const MAX_PLANS = 16;
const MAX_GRAPHS = 64;

/** Where a stage begins. */
export interface StageOrigin {
  readonly key: string;
  /** What stands for the values that the stage is given. */
  readonly given: StandIns;
  /** Tensors that are there already. */
  readonly places: ReadonlyMap<LoweredTensor, Place>;
  /** Arena bytes of the stages before. */
  readonly arenaStart: number;
}

/** A planned stage, and what may follow it by what its boundary returned. */
export class StageNode implements Cached<readonly RunValue[]> {
  readonly key: string;
  readonly stage: Stage;
  readonly plan: StagePlan;
  readonly places: ReadonlyMap<LoweredTensor, Place>;
  readonly next: PlanCache<readonly RunValue[], StageNode>;
  readonly #given: StandIns;
  /** Numbers of the run that the stage's steps read. */
  readonly #numbers: readonly RunNumber[];
  readonly #state: ExecutableState;
  /** Runners of the graphs that the boundary calls, most recently used last. */
  readonly #graphs = new Map<Graph | string, GraphRunner>();

  private constructor(
    state: ExecutableState,
    origin: StageOrigin,
    stage: Stage,
    plan: StagePlan,
    numbers: readonly RunNumber[],
  ) {
    this.#state = state;
    this.#given = origin.given;
    this.#numbers = numbers;
    this.key = origin.key;
    this.places = origin.places;
    this.stage = stage;
    this.plan = plan;
    this.next = new PlanCache(MAX_PLANS, (node) => node.release());
    state.stages.count++;
  }

  /** Plans a lowered stage, and brings the constants that it reads into memory. */
  static async plan(state: ExecutableState, origin: StageOrigin, lowered: Stage): Promise<StageNode> {
    const { services, kernels, arena, lowerOptions } = state;
    const { places, given, arenaStart } = origin;
    const isConstant = (tensor: LoweredTensor): boolean => places.get(tensor)?.buffer.constant != null;
    const stage: Stage = { ...lowered, calls: foldBatchNorm(lowered, isConstant, lowerOptions, services.exact) };
    const numbers = [...new Set(stage.calls.flatMap(operandsOf).filter(isRunNumber))];
    const inputs = [...given.tensors, ...numbers];
    const plan = planStage(stage, { places, inputs, arenaStart }, services, kernels, arena);
    try {
      await state.settle(plan.constants);
    } catch (error) {
      // An abort passes as it is; so does a failure to read.
      throw error instanceof WebAssembly.RuntimeError ? locate(error, []) : error;
    }
    return new StageNode(state, origin, stage, plan, numbers);
  }

  accepts(values: readonly RunValue[]): boolean {
    this.#given.set(values);
    return this.stage.numbers.holds();
  }

  /** Puts the values of a run where its steps read them. */
  write(values: readonly RunValue[], heap: Heap): void {
    const data = hostDataIn(values);
    for (const [i, tensor] of this.#given.tensors.entries()) {
      requireBytes(data[i]!, `%${tensor.name}`);
      writePlace(heap, this.plan.place(tensor), data[i]!.bytes);
    }
    for (const number of this.#numbers) {
      writeElement(heap, number.dtype, addressOf(this.plan.place(number)), numberOf(number.number.value));
    }
  }

  /** The runner of a graph that the boundary calls. */
  runnerOf(key: Graph | string, make: () => GraphRunner): GraphRunner {
    const runner = this.#graphs.get(key) ?? make();
    this.#graphs.delete(key);
    this.#graphs.set(key, runner);
    if (this.#graphs.size > MAX_GRAPHS) {
      const [oldest, dropped] = this.#graphs.entries().next().value!;
      this.#graphs.delete(oldest);
      dropped.release();
    }
    return runner;
  }

  /** Gives up its plan, and those of everything behind it. */
  release(): void {
    this.#state.stages.count--;
    this.#state.constants.release(this.plan.constants);
    this.next.clear();
    for (const runner of this.#graphs.values()) runner.release();
    this.#graphs.clear();
  }
}

/** A cache for the first stages of a graph. */
export function stageCache(): PlanCache<readonly RunValue[], StageNode> {
  return new PlanCache(MAX_PLANS, (node) => node.release());
}
