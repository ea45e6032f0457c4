import { LruCache } from "@pt2/format";
import type { Graph } from "@pt2/graph";
import {
  type ArgValue,
  isRuntimeScalar,
  isTensor,
  type LoweredTensor,
  type Repetition,
  type RuntimeScalar,
  type Stage,
  tensorsIn,
} from "@pt2/registry";
import { operandsOf } from "../fuse.ts";
import { type Awaitable, whenReady } from "./awaitable.ts";
import type { Captured, capture } from "./captured.ts";
import { requireBytes } from "./host-values.ts";
import type { Placeholders } from "./placeholders.ts";
import { type Cached, PlanCache } from "./plan-cache.ts";
import { isDeviceData, isHostData, isTensorData, type RunValue, type TensorType, tensorDataIn } from "./run-value.ts";
import type { RunHooks, StageEngine, StagePlan } from "./stage-engine.ts";

/**
 * The number of plans beyond which the least recently used is dropped: of a graph, after a graph break, for called ops.
 */
export const MAX_PLANS = 16;
const MAX_GRAPHS = 64;

/** The number of planned stages, in all graphs of an executable. */
export interface StageCount {
  stages: number;
}

/** Where a stage begins. */
export interface StageOrigin<View, Plan> {
  readonly key: string;
  /** The placeholders of the values that the stage is given. */
  readonly given: Placeholders;
  /** Tensors that exist already. */
  readonly views: ReadonlyMap<LoweredTensor, View>;
  /** The plan before. */
  readonly after: Plan | null;
  readonly count: StageCount;
  /** See `StageRequest.writes`. */
  readonly writes?: ReadonlyMap<LoweredTensor, LoweredTensor>;
}

/** Runs a graph that a stage's graph break calls. */
interface CalledGraph<View extends TensorType, Plan extends StagePlan<View>> {
  readonly plans: readonly StageNode<View, Plan>[];
  run(inputs: readonly RunValue[], bound?: ReadonlyMap<string, View>, hooks?: RunHooks): Promise<readonly RunValue[]>;
  release(): void;
}

/** A planned stage, and what may follow it, by what its graph break returned. */
export class StageNode<View extends TensorType, Plan extends StagePlan<View>> implements Cached<readonly RunValue[]> {
  readonly key: string;
  readonly stage: Stage;
  readonly plan: Plan;
  readonly views: ReadonlyMap<LoweredTensor, View>;
  readonly next: PlanCache<readonly RunValue[], StageNode<View, Plan>> = stageCache();
  readonly #engine: StageEngine<View, Plan>;
  /** The placeholders of the values that it is given. */
  readonly given: Placeholders;
  readonly #count: StageCount;
  /** The runtime scalars that the stage's steps read. */
  readonly #numbers: readonly RuntimeScalar[];
  /** What the graph break's graphs read where it is, once a run has come to the graph break. */
  #captured: Captured<View> | undefined;
  /** Runners of the graphs that the graph break calls. */
  readonly #graphs = new LruCache<Graph | string, CalledGraph<View, Plan>>(MAX_GRAPHS, (runner) => runner.release());

  private constructor(
    engine: StageEngine<View, Plan>,
    origin: StageOrigin<View, Plan>,
    stage: Stage,
    plan: Plan,
    numbers: readonly RuntimeScalar[],
  ) {
    this.#engine = engine;
    this.given = origin.given;
    this.#count = origin.count;
    this.#numbers = numbers;
    this.key = origin.key;
    this.views = origin.views;
    this.stage = stage;
    this.plan = plan;
    this.#count.stages++;
  }

  /** Plans a lowered stage. */
  static async plan<View extends TensorType, Plan extends StagePlan<View>>(
    engine: StageEngine<View, Plan>,
    origin: StageOrigin<View, Plan>,
    stage: Stage,
  ): Promise<StageNode<View, Plan>> {
    const { views, given, after, writes = new Map() } = origin;
    const numbers = [...new Set(stage.calls.flatMap(operandsOf).filter(isRuntimeScalar))];
    const plan = await engine.plan({ stage, views, inputs: [...given.tensors, ...numbers], after, writes });
    return new StageNode(engine, origin, stage, plan, numbers);
  }

  /**
   * Plans this stage for other sizes of some of its inputs; null if it has to be lowered and planned from the beginning.
   */
  async repeat(
    origin: StageOrigin<View, Plan>,
    inputs: ReadonlyMap<string, ArgValue>,
  ): Promise<StageNode<View, Plan> | null> {
    const { again } = this.stage;
    if (again === undefined || this.plan.records === undefined || this.#engine.repeat === undefined) return null;
    const node = await this.#repeat(origin, await again.repeat(inputs, again.needsStrict));
    if (node !== null || again.needsStrict) return node;
    const repetition = await again.repeat(inputs, true);
    const strict = await this.#repeat(origin, repetition);
    if (strict !== null) repetition!.tellApart();
    return strict;
  }

  async #repeat(origin: StageOrigin<View, Plan>, repetition: Repetition | null): Promise<StageNode<View, Plan> | null> {
    if (repetition === null) return null;
    const { views, given } = origin;
    const numbers = this.#numbers.map((number) => repetition.inputFor(number));
    if (!numbers.every(isRuntimeScalar)) return null;
    const { stage } = repetition;
    const outputs = stage.end.outputs.flatMap(tensorsIn);
    const request = { repetition, views, inputs: [...given.tensors, ...numbers], outputs };
    const plan = await this.#engine.repeat!(this.plan, request);
    return plan && new StageNode(this.#engine, origin, { ...this.stage, ...stage, again: undefined }, plan, numbers);
  }

  accepts(values: readonly RunValue[]): boolean {
    this.given.set(values);
    return this.stage.numbers.holds();
  }

  /** Writes the values of a run where the steps read them. */
  write(values: readonly RunValue[]): Awaitable<void> {
    const { tensors } = this.given;
    const data = tensorDataIn(values);
    for (let i = 0; i < tensors.length; i++) {
      const given = data[i]!;
      if (isHostData(given)) requireBytes(given, () => `%${tensors[i]!.name}`);
    }
    return this.#engine.write(this.plan, tensors, data, this.#numbers);
  }

  /** Returns values that its steps have computed, and others as they are. */
  read(values: readonly ArgValue[], to: "host" | "anywhere"): Awaitable<readonly RunValue[]> {
    // Most graphs return only tensors, and most ops take only tensors.
    if (values.every(isComputed)) return this.#engine.read(this.plan, values, to);
    const tensors: LoweredTensor[] = [];
    const collect = (value: ArgValue): void => {
      if (Array.isArray(value)) value.forEach(collect);
      else if (isComputed(value)) tensors.push(value);
    };
    values.forEach(collect);
    return whenReady(tensors.length === 0 ? [] : this.#engine.read(this.plan, tensors, to), (data) => {
      let at = 0;
      const resolve = (value: ArgValue): RunValue => {
        if (Array.isArray(value)) return (value as readonly ArgValue[]).map(resolve) as unknown as RunValue;
        if (isRuntimeScalar(value)) return value.number.value;
        return isComputed(value) ? data[at++]! : value;
      };
      return values.map(resolve);
    });
  }

  /** Like {@link read}, but gives only the place of the tensors at the positions in `written`. */
  readOrLocate(
    values: readonly ArgValue[],
    written: { has(position: number): boolean },
  ): Awaitable<readonly RunValue[]> {
    const engine = this.#engine;
    const isLocated = (i: number): boolean => written.has(i) && isComputed(values[i]!);
    const located = engine.locate?.(this.plan, values.filter((_, i) => isLocated(i)).filter(isComputed));
    if (located === undefined) return this.read(values, "anywhere");
    return whenReady(
      this.read(
        values.filter((_, i) => !isLocated(i)),
        "anywhere",
      ),
      (read) => {
        let [nextRead, nextLocated] = [0, 0];
        return values.map((_, i) => (isLocated(i) ? located[nextLocated++]! : read[nextRead++]!));
      },
    );
  }

  /** Returns what graphs of the graph break read where it is; null where they get copies of everything. */
  captured(find: typeof capture): Captured<View> | null {
    const { end } = this.stage;
    if (end.kind === "return" || this.#engine.isConstant === undefined) return null;
    this.#captured ??= find(end, (tensor) => {
      const view = this.views.get(tensor);
      return view !== undefined && this.#engine.isConstant!(view) ? view : undefined;
    });
    return this.#captured;
  }

  /** The first stages of graphs that the graph break calls. */
  get nested(): readonly StageNode<View, Plan>[] {
    return this.#graphs.values.flatMap((runner) => runner.plans);
  }

  /** Returns the runner of a graph that the graph break calls. */
  runnerOf(key: Graph | string, make: () => CalledGraph<View, Plan>): CalledGraph<View, Plan> {
    return this.#graphs.get(key, make);
  }

  /** Releases its plan, and those of all stages after it. */
  release(): void {
    this.#count.stages--;
    this.#engine.release(this.plan);
    this.next.clear();
    this.#graphs.clear();
  }
}

/** Whether a value is a tensor that steps compute; a runtime scalar is known without them. */
function isComputed(value: ArgValue): value is LoweredTensor {
  return isTensor(value) && !isRuntimeScalar(value);
}

/** Makes a cache for the stages that begin a graph, or follow another stage. */
function stageCache<View extends TensorType, Plan extends StagePlan<View>>(): PlanCache<
  readonly RunValue[],
  StageNode<View, Plan>
> {
  return new PlanCache(MAX_PLANS, (node) => node.release());
}

/** Returns the values with their tensors in host memory. */
export function fetchAll<View extends TensorType, Plan extends StagePlan<View>>(
  engine: StageEngine<View, Plan>,
  values: readonly RunValue[],
): Awaitable<readonly RunValue[]> {
  if (engine.fetch === undefined) return values;
  const away = tensorDataIn(values).filter(isDeviceData);
  if (away.length === 0) return values;
  return engine.fetch(away).then((fetched) => {
    let at = 0;
    const resolve = (value: RunValue): RunValue => {
      if (isTensorData(value)) return isDeviceData(value) ? fetched[at++]! : value;
      return Array.isArray(value) ? (value.map(resolve) as unknown as RunValue) : value;
    };
    return values.map(resolve);
  });
}
