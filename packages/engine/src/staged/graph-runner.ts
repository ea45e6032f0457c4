import { backendError } from "@pt2/backend";
import type { Graph } from "@pt2/graph";
import { type ArgValue, isTensor, type LoweredTensor, type LowerOptions, lower, type Stage } from "@pt2/registry";
import type { Captured } from "./captured.ts";
import { explainStages } from "./explain.ts";
import type { GraphBreakHost } from "./graph-break.ts";
import { Placeholders } from "./placeholders.ts";
import { PlanCache } from "./plan-cache.ts";
import { type DeviceData, isDeviceData, planKey, type RunValue, type TensorType, tensorDataIn } from "./run-value.ts";
import type { RunHooks, StageEngine, StagePlan } from "./stage-engine.ts";
import { fetchAll, MAX_PLANS, type StageCount, StageNode } from "./stage-node.ts";

/** The code of graph breaks, once a run has met one. */
let graphBreaks: typeof import("./graph-break.ts") | undefined;

/** The number of planned stages of an executable beyond which all plans are dropped and made anew. */
const MAX_STAGES = 1024;

/** The number of plans from which others are made: of a program that does other things for some sizes, one for each. */
const MAX_MODELS = 3;

/** What is bound to names of a graph, which no run gives. */
interface Bound<View> {
  readonly bound: ReadonlyMap<string, View>;
  /** The tensors by name, and where they are. */
  readonly weights: ReadonlyMap<string, ArgValue>;
  readonly views: ReadonlyMap<LoweredTensor, View>;
  /** The names of the other inputs, in order. */
  readonly names: readonly string[];
}

/** Where a graph runs: by default as the graph of a program that writes no buffers. */
interface Within<Plan> {
  /** The plan of the stage that the graph is called from. */
  readonly after?: Plan | null;
  /** The number of stages planned for this graph and those that it calls. */
  readonly count?: StageCount;
  readonly options?: LowerOptions;
  /**
   * The names of the buffers that results replace, by the positions of results. The executable stores them as soon as the run is
   * done: a run gives where they are, if the engine tells (`StageEngine.locate`), instead of a copy.
   */
  readonly writes?: ReadonlyMap<number, string>;
}

/**
 * Runs one graph. The first run with new input shapes lowers and plans it; further runs with the same shapes only move
 * data. Runs of one executable never overlap, because they share memory.
 */
export class GraphRunner<View extends TensorType, Plan extends StagePlan<View>> {
  readonly #graph: Graph;
  readonly #engine: StageEngine<View, Plan>;
  readonly #after: Plan | null;
  readonly #count: StageCount;
  readonly #options: LowerOptions;
  readonly #writes: ReadonlyMap<number, string>;
  readonly #roots: PlanCache<readonly RunValue[], StageNode<View, Plan>>;
  /** The plans from which those for other sizes are made, the last used first. They are kept when the cache drops them. */
  #models: readonly StageNode<View, Plan>[] = [];
  /** The tensors that are bound to names, which are the same in all plans. */
  readonly #tensors = new Map<string, LoweredTensor>();
  #bound: Bound<View> | null = null;

  constructor(
    graph: Graph,
    engine: StageEngine<View, Plan>,
    { after = null, count = { stages: 0 }, options = engine.lowerOptions, writes = new Map() }: Within<Plan> = {},
  ) {
    this.#graph = graph;
    this.#engine = engine;
    this.#after = after;
    this.#count = count;
    this.#options = options;
    this.#writes = writes;
    this.#roots = new PlanCache(MAX_PLANS, (node) => {
      if (!this.#models.includes(node)) node.release();
    });
  }

  /**
   * Plans for these inputs, without running. It waits for `lowered` when all ops are known to run and no weight has
   * been read yet.
   */
  async prepare(
    inputs: readonly RunValue[],
    bound: ReadonlyMap<string, View> = new Map(),
    lowered: () => Promise<void> = async () => {},
  ): Promise<StageNode<View, Plan>> {
    const key = planKey(inputs);
    const known = this.#roots.find(key, inputs);
    if (known !== undefined) return known;
    const node = await this.#start(key, inputs, bound, lowered);
    this.#roots.add(node);
    return node;
  }

  /**
   * Runs the graph on inputs for its placeholders in order, without those that `bound` has (weights). Results are
   * copies, so nothing of the run stays in use.
   */
  async run(
    inputs: readonly RunValue[],
    bound: ReadonlyMap<string, View> = new Map(),
    hooks: RunHooks = {},
  ): Promise<readonly RunValue[]> {
    // Caches limit the plans of each graph and graph break; the product over nested ones is limited here.
    if (this.#after === null && this.#count.stages > MAX_STAGES) this.release();
    let node = this.#roots.find(planKey(inputs), inputs) ?? (await this.prepare(inputs, bound));
    let given = inputs;
    for (;;) {
      const writing = node.write(given);
      if (writing !== undefined) await writing;
      // Results of a graph break were copies, and have been copied again. Inputs belong to the caller.
      if (given !== inputs) this.#drop(given);
      const executing = this.#engine.execute(node.plan, hooks);
      if (executing !== undefined) await executing;
      const { end } = node.stage;
      if (end.kind === "return") {
        return this.#writes.size === 0
          ? node.read(end.outputs, "anywhere")
          : node.readOrLocate(end.outputs, this.#writes);
      }
      // The import is made when it is needed, for most programs are one stage.
      graphBreaks ??= await import("./graph-break.ts");
      const captured = node.captured(graphBreaks.capture);
      const host = this.#host(node, captured, hooks);
      const results: readonly RunValue[] = await graphBreaks.runGraphBreak(captured?.end ?? end, host);
      node = await this.#follow(node, results);
      given = results;
    }
  }

  /** The number of planned stages, including those of the graphs that this one calls. */
  get stages(): number {
    return this.#count.stages;
  }

  /** The planned first stages, which lead to all that follow them. */
  get plans(): readonly StageNode<View, Plan>[] {
    return this.#roots.plans;
  }

  /** Formats one line per step of every plan: the node, the ops that run as one, and what runs them. */
  explain(): string {
    return explainStages(this.plans);
  }

  /** Releases all plans. */
  release(): void {
    const models = this.#models;
    this.#models = [];
    for (const model of models) if (!this.plans.includes(model)) model.release();
    this.#roots.clear();
  }

  #drop(values: readonly RunValue[], kept: readonly RunValue[] = []): void {
    const engine = this.#engine;
    engine.drop?.(tensorDataIn(values).filter((value) => isDeviceData(value) && !kept.includes(value)) as DeviceData[]);
  }

  async #start(
    key: string,
    inputs: readonly RunValue[],
    bound: ReadonlyMap<string, View>,
    lowered: () => Promise<void>,
  ): Promise<StageNode<View, Plan>> {
    const { weights, views, names } = this.#boundOf(bound);
    if (names.length !== inputs.length) {
      throw backendError("backend.graph-inputs", {
        what: `A graph of ${names.length} inputs was called with ${inputs.length}`,
        advice: "Run validate() on the program: the operands of a nested graph do not fit it.",
      });
    }
    const origin = { key, views, after: this.#after, count: this.#count };
    const named = ({ values }: Placeholders): [string, ArgValue][] => names.map((name, i) => [name, values[i]!]);
    for (const model of this.#models) {
      const given = new Placeholders(inputs, (i) => names[i]!, model.given);
      const node = await model.repeat({ ...origin, given }, new Map(named(given)));
      if (node === null) continue;
      if (model !== this.#models[0]) this.#models = [model, ...this.#models.filter((other) => other !== model)];
      return node;
    }
    const given = new Placeholders(inputs, (i) => names[i]!);
    const stage = await lower(this.#graph, new Map([...weights, ...named(given)]), this.#options);
    await lowered();
    const node = await StageNode.plan(this.#engine, { ...origin, given, writes: this.#writesOf(stage) }, stage);
    if (stage.again !== undefined && node.plan.records !== undefined) this.#setModels([node, ...this.#models]);
    return node;
  }

  #boundOf(bound: ReadonlyMap<string, View>): Bound<View> {
    if (this.#bound?.bound === bound) return this.#bound;
    const weights = new Map<string, ArgValue>();
    const views = new Map<LoweredTensor, View>();
    const names: string[] = [];
    for (const name of this.#graph.inputs) {
      if (name === null) continue;
      const view = bound.get(name);
      if (view === undefined) {
        names.push(name);
        continue;
      }
      const tensor = this.#tensors.get(name) ?? { dtype: view.dtype, shape: view.shape, name };
      this.#tensors.set(name, tensor);
      weights.set(name, tensor);
      views.set(tensor, view);
    }
    this.#bound = { bound, weights, views, names };
    return this.#bound;
  }

  /** The results of a whole program that replace buffers, each with its buffer. */
  #writesOf({ end }: Stage): ReadonlyMap<LoweredTensor, LoweredTensor> {
    const writes = new Map<LoweredTensor, LoweredTensor>();
    if (end.kind !== "return") return writes;
    for (const [position, name] of this.#writes) {
      const [result, buffer] = [end.outputs[position], this.#tensors.get(name)];
      if (isTensor(result) && buffer !== undefined) writes.set(result, buffer);
    }
    return writes;
  }

  #setModels(nodes: readonly StageNode<View, Plan>[]): void {
    this.#models = nodes.slice(0, MAX_MODELS);
    for (const last of nodes.slice(MAX_MODELS)) if (!this.plans.includes(last)) last.release();
  }

  async #follow(from: StageNode<View, Plan>, results: readonly RunValue[]): Promise<StageNode<View, Plan>> {
    const key = planKey(results);
    const known = from.next.find(key, results);
    if (known !== undefined) return known;
    const given = new Placeholders(results, (i) => `result${i}`);
    const stage = await from.stage.resume(given.values);
    const views = new Map(from.views);
    for (const tensor of from.stage.live) views.set(tensor, from.plan.view(tensor));
    const origin = { key, given, views, after: from.plan, count: this.#count };
    const node = await StageNode.plan(this.#engine, origin, stage);
    from.next.add(node);
    return node;
  }

  #host(node: StageNode<View, Plan>, captured: Captured<View> | null, { signal, depth = 0 }: RunHooks): GraphBreakHost {
    const { registry, target } = this.#options;
    let last: Promise<unknown> = Promise.resolve();
    return {
      backend: target.name,
      depth,
      registry,
      read: (values, to) => node.read(values, to),
      fetch: (values) => fetchAll(this.#engine, values),
      drop: (values, kept) => this.#drop(values, kept),
      runGraph: (key, graph, inputs, within = depth) => {
        // A handler may call several ops at once. They share memory, so each waits for the one before.
        const result = last.then(() => {
          // What the function of a handler calls is not for wildcards.
          const options =
            within === depth ? this.#options : { ...this.#options, registry: registry.withoutWildcards ?? registry };
          const runner = node.runnerOf(
            key,
            () => new GraphRunner(graph, this.#engine, { after: node.plan, count: this.#count, options }),
          );
          return runner.run(inputs, captured?.in(graph), { signal, depth: within });
        });
        last = result.then(
          () => {},
          () => {},
        );
        return result;
      },
    };
  }
}
