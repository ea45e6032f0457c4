import type { Graph } from "@pt2/graph";
import { type ArgValue, type Call, isTensor, type LoweredTensor, lower, type Stage, tensorsIn } from "@pt2/registry";
import { wasmError } from "../wasm-errors.ts";
import { type BoundaryHost, runBoundary } from "./boundary.ts";
import type { Cancellation } from "./cancellation.ts";
import { readPlace, writePlace } from "./elements.ts";
import type { ExecutableState } from "./executable-state.ts";
import { foldBatchNorm } from "./fold-batch-norm.ts";
import { requireBytes } from "./host-values.ts";
import { locate } from "./located.ts";
import type { Place } from "./place.ts";
import { planStage, type StagePlan } from "./plan.ts";
import { hostDataIn, planKey, type RunValue, standIn } from "./run-value.ts";

/** A planned stage, and what may follow it by what its boundary returned. */
export interface StageNode {
  readonly stage: Stage;
  readonly plan: StagePlan;
  readonly inputs: readonly LoweredTensor[];
  readonly places: ReadonlyMap<LoweredTensor, Place>;
  readonly next: Map<string, StageNode>;
  /** Runners of the graphs that the boundary calls. */
  readonly graphs: Map<Graph | string, GraphRunner>;
}

/** Observes a run: called after each step with its duration. */
export type StepObserver = (calls: readonly Call[], startMs: number, ms: number) => void;

/** What may watch or stop a run. */
export interface RunHooks {
  readonly observe?: StepObserver | undefined;
  readonly signal?: Cancellation | undefined;
}

/** Plans for more input shapes than this are dropped, oldest first. */
const MAX_PLANS = 16;

/**
 * Runs one graph. The first run with new input shapes lowers and plans it; further runs with the same shapes only move
 * data. Runs of one executable never overlap (they share the arena).
 */
export class GraphRunner {
  readonly #graph: Graph;
  readonly #state: ExecutableState;
  readonly #arenaStart: number;
  readonly #roots = new Map<string, StageNode>();

  /** `arenaStart`: arena bytes that callers of this graph still need. */
  constructor(graph: Graph, state: ExecutableState, arenaStart: number) {
    this.#graph = graph;
    this.#state = state;
    this.#arenaStart = arenaStart;
  }

  /** Plans for these inputs, without running. */
  async prepare(inputs: readonly RunValue[], bound: ReadonlyMap<string, Place> = new Map()): Promise<StageNode> {
    const key = planKey(inputs);
    let node = this.#roots.get(key);
    if (node !== undefined) {
      // Most recently used last.
      this.#roots.delete(key);
    } else {
      node = await this.#start(inputs, bound);
      if (this.#roots.size >= MAX_PLANS) this.#evict(this.#roots);
    }
    this.#roots.set(key, node);
    return node;
  }

  /**
   * Inputs are the graph's placeholders in order, less those that `bound` gives a place (weights).
   * Results are copies; nothing of the run stays in use.
   */
  async run(
    inputs: readonly RunValue[],
    bound: ReadonlyMap<string, Place> = new Map(),
    { observe, signal }: RunHooks = {},
  ): Promise<readonly RunValue[]> {
    let node = await this.prepare(inputs, bound);
    let given = inputs;
    for (;;) {
      this.#state.constants.finish();
      this.#state.arena.reserve(node.plan.arenaEnd, this.#state.arena.bytes);
      this.#write(node, given);
      this.#execute(node, observe, signal);
      const { end } = node.stage;
      if (end.kind === "return") return end.outputs.map((value) => this.#read(node, value));
      const results: readonly RunValue[] = await runBoundary(end, this.#host(node, signal));
      node = await this.#follow(node, results);
      given = results;
    }
  }

  /** One line per step of every plan: the node, and the ops that run as one. */
  explain(): string {
    const lines: string[] = [];
    const visit = (key: string, node: StageNode): void => {
      lines.push(`# ${key || "no inputs"}: arena ${node.plan.arenaEnd} bytes, ${node.plan.steps.length} steps`);
      for (const { calls } of node.plan.steps) {
        lines.push(`${calls.at(-1)!.node.name}: ${calls.map(({ record }) => record.name).join(" + ")}`);
      }
      if (node.stage.end.kind !== "return") lines.push(`(${node.stage.end.node.op} runs on the host)`);
      for (const [next, stage] of node.next) visit(next, stage);
    };
    for (const [key, node] of this.#roots) visit(key, node);
    return lines.join("\n");
  }

  async #start(inputs: readonly RunValue[], bound: ReadonlyMap<string, Place>): Promise<StageNode> {
    const env = new Map<string, ArgValue>();
    const places = new Map<LoweredTensor, Place>();
    const tensors: LoweredTensor[] = [];
    let at = 0;
    const wanted = this.#graph.inputs.filter((name) => name !== null && !bound.has(name)).length;
    if (wanted !== inputs.length) {
      throw wasmError("wasm.graph-inputs", {
        what: `A graph of ${wanted} inputs was given ${inputs.length}`,
        advice: "Run validate() on the program: the operands of a nested graph do not fit it.",
      });
    }
    for (const name of this.#graph.inputs) {
      if (name === null) continue;
      const place = bound.get(name);
      if (place !== undefined) {
        const tensor: LoweredTensor = { dtype: place.dtype, shape: place.shape, name };
        env.set(name, tensor);
        places.set(tensor, place);
        continue;
      }
      const value = standIn(inputs[at++] as RunValue, name);
      env.set(name, value);
      if (isTensor(value)) tensors.push(value);
    }
    return this.#plan(lower(this.#graph, env, this.#state.lowerOptions), tensors, places, this.#arenaStart);
  }

  async #follow(from: StageNode, results: readonly RunValue[]): Promise<StageNode> {
    const key = planKey(results);
    const known = from.next.get(key);
    if (known !== undefined) return known;
    const values = results.map((value, i) => standIn(value, `result${i}`));
    const stage = from.stage.resume(values);
    const places = new Map(from.places);
    for (const tensor of from.stage.live) places.set(tensor, from.plan.place(tensor));
    const node = await this.#plan(stage, values.flatMap(tensorsIn), places, from.plan.arenaEnd);
    if (from.next.size >= MAX_PLANS) this.#evict(from.next);
    from.next.set(key, node);
    return node;
  }

  async #plan(
    lowered: Stage,
    inputs: readonly LoweredTensor[],
    places: ReadonlyMap<LoweredTensor, Place>,
    arenaStart: number,
  ): Promise<StageNode> {
    const { services, kernels, arena } = this.#state;
    const isConstant = (tensor: LoweredTensor): boolean => places.get(tensor)?.buffer.constant != null;
    const stage: Stage = {
      ...lowered,
      calls: foldBatchNorm(lowered, isConstant, this.#state.lowerOptions, services.exact),
    };
    const plan = planStage(stage, { places, inputs, arenaStart }, services, kernels, arena);
    try {
      await this.#state.settle(plan.constants);
    } catch (error) {
      // An abort passes as it is; so does a failure to read.
      throw error instanceof WebAssembly.RuntimeError ? locate(error, []) : error;
    }
    return { stage, plan, inputs, places, next: new Map(), graphs: new Map() };
  }

  /** Gives up all plans. */
  release(): void {
    for (const node of this.#roots.values()) this.#drop(node);
    this.#roots.clear();
  }

  #evict(plans: Map<string, StageNode>): void {
    const [key, oldest] = plans.entries().next().value!;
    plans.delete(key);
    this.#drop(oldest);
  }

  #drop(node: StageNode): void {
    this.#state.constants.release(node.plan.constants);
    for (const next of node.next.values()) this.#drop(next);
    for (const nested of node.graphs.values()) nested.release();
  }

  #write(node: StageNode, given: readonly RunValue[]): void {
    const data = hostDataIn(given);
    for (const [i, tensor] of node.inputs.entries()) {
      requireBytes(data[i]!, `%${tensor.name}`);
      writePlace(this.#state.services.heap, node.plan.place(tensor), data[i]!.bytes);
    }
  }

  #host(node: StageNode, signal: Cancellation | undefined): BoundaryHost {
    const { dynamic, lowerOptions } = this.#state;
    return {
      dynamic,
      registry: lowerOptions.registry,
      read: (value) => this.#read(node, value),
      runGraph: (key, graph, inputs) => {
        const runner = node.graphs.get(key) ?? new GraphRunner(graph, this.#state, node.plan.arenaEnd);
        node.graphs.set(key, runner);
        return runner.run(inputs, new Map(), { signal });
      },
    };
  }

  #execute(node: StageNode, observe: StepObserver | undefined, signal: Cancellation | undefined): void {
    for (const { runs, calls } of node.plan.steps) {
      signal?.throwIfAborted();
      const start = observe === undefined ? 0 : performance.now();
      try {
        for (const run of runs) run();
      } catch (error) {
        throw locate(error, calls);
      }
      observe?.(calls, start, performance.now() - start);
    }
  }

  #read(node: StageNode, value: ArgValue): RunValue {
    if (Array.isArray(value))
      return (value as readonly ArgValue[]).map((item) => this.#read(node, item)) as unknown as RunValue;
    if (!isTensor(value)) return value;
    const place = node.plan.place(value);
    return { dtype: value.dtype, shape: value.shape, bytes: readPlace(this.#state.services.heap, place) };
  }
}
