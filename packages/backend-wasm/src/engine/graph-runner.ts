import type { Graph } from "@pt2/graph";
import { type ArgValue, type Call, isRunNumber, isTensor, type LoweredTensor, lower } from "@pt2/registry";
import { wasmError } from "../wasm-errors.ts";
import { type BoundaryHost, runBoundary } from "./boundary.ts";
import type { Cancellation } from "./cancellation.ts";
import { readPlace } from "./elements.ts";
import type { ExecutableState } from "./executable-state.ts";
import { explainStages } from "./explain.ts";
import { locate } from "./located.ts";
import type { Place } from "./place.ts";
import { planKey, type RunValue } from "./run-value.ts";
import { StageNode, stageCache } from "./stage-node.ts";
import { StandIns } from "./stand-ins.ts";

/** Observes a run: called after each step with its duration. */
export type StepObserver = (calls: readonly Call[], startMs: number, ms: number) => void;

/** What may watch or stop a run. */
export interface RunHooks {
  readonly observe?: StepObserver | undefined;
  readonly signal?: Cancellation | undefined;
}

/**
 * Runs one graph. The first run with new input shapes lowers and plans it; further runs with the same shapes only move
 * data. Runs of one executable never overlap (they share the arena).
 */
export class GraphRunner {
  readonly #graph: Graph;
  readonly #state: ExecutableState;
  readonly #arenaStart: number;
  readonly #roots = stageCache();

  /** `arenaStart`: arena bytes that callers of this graph still need. */
  constructor(graph: Graph, state: ExecutableState, arenaStart: number) {
    this.#graph = graph;
    this.#state = state;
    this.#arenaStart = arenaStart;
  }

  /** Plans for these inputs, without running. */
  async prepare(inputs: readonly RunValue[], bound: ReadonlyMap<string, Place> = new Map()): Promise<StageNode> {
    const key = planKey(inputs);
    const known = this.#roots.find(key, inputs);
    if (known !== undefined) return known;
    const node = await this.#start(key, inputs, bound);
    this.#roots.add(node);
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
    const { constants, arena, services } = this.#state;
    let node = await this.prepare(inputs, bound);
    let given = inputs;
    for (;;) {
      constants.finish();
      arena.reserve(node.plan.arenaEnd, arena.bytes);
      node.write(given, services.heap);
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
    return explainStages(this.#roots.plans);
  }

  /** Gives up all plans. */
  release(): void {
    this.#roots.clear();
  }

  async #start(key: string, inputs: readonly RunValue[], bound: ReadonlyMap<string, Place>): Promise<StageNode> {
    const names = this.#graph.inputs.filter((name) => name !== null && !bound.has(name));
    if (names.length !== inputs.length) {
      throw wasmError("wasm.graph-inputs", {
        what: `A graph of ${names.length} inputs was given ${inputs.length}`,
        advice: "Run validate() on the program: the operands of a nested graph do not fit it.",
      });
    }
    const given = new StandIns(inputs, (i) => names[i]!);
    const env = new Map<string, ArgValue>(names.map((name, i) => [name!, given.values[i]!]));
    const places = new Map<LoweredTensor, Place>();
    for (const name of this.#graph.inputs) {
      const place = name === null ? undefined : bound.get(name);
      if (place === undefined) continue;
      const tensor: LoweredTensor = { dtype: place.dtype, shape: place.shape, name: name! };
      env.set(name!, tensor);
      places.set(tensor, place);
    }
    const stage = lower(this.#graph, env, this.#state.lowerOptions);
    return await StageNode.plan(this.#state, { key, given, places, arenaStart: this.#arenaStart }, stage);
  }

  async #follow(from: StageNode, results: readonly RunValue[]): Promise<StageNode> {
    const key = planKey(results);
    const known = from.next.find(key, results);
    if (known !== undefined) return known;
    const given = new StandIns(results, (i) => `result${i}`);
    const stage = from.stage.resume(given.values);
    const places = new Map(from.places);
    for (const tensor of from.stage.live) places.set(tensor, from.plan.place(tensor));
    const origin = { key, given, places, arenaStart: from.plan.arenaEnd };
    const node = await StageNode.plan(this.#state, origin, stage);
    from.next.add(node);
    return node;
  }

  #host(node: StageNode, signal: Cancellation | undefined): BoundaryHost {
    const { dynamic, lowerOptions } = this.#state;
    let last: Promise<unknown> = Promise.resolve();
    return {
      dynamic,
      registry: lowerOptions.registry,
      read: (value) => this.#read(node, value),
      runGraph: (key, graph, inputs) => {
        // A handler may call several ops at once; they share memory, so each waits for the one before.
        const result = last.then(() => {
          const runner = node.runnerOf(key, () => new GraphRunner(graph, this.#state, node.plan.arenaEnd));
          return runner.run(inputs, new Map(), { signal });
        });
        last = result.catch(() => {});
        return result;
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
    if (isRunNumber(value)) return value.number.value;
    if (!isTensor(value)) return value;
    const place = node.plan.place(value);
    return { dtype: value.dtype, shape: value.shape, bytes: readPlace(this.#state.services.heap, place) };
  }
}
