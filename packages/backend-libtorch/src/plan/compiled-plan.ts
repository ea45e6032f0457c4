import { onAbort } from "@pt2/format";
import { type Graph, graphsOf, type Node, type Program } from "@pt2/graph";
import type {
  Addon,
  NativeBytes,
  NativeCapture,
  NativeDirect,
  NativeLayout,
  NativePlan,
  NativeRun,
  NativeStep,
  NativeTensor,
  NativeValue,
  RunOptions,
} from "../addon.ts";
import { type EncodedProgram, type EncodeOptions, encodeProgram, type PlanInput } from "../encode/encode-program.ts";
import type { HostNode } from "../handlers/host-node.ts";
import { libtorchError } from "../libtorch-errors.ts";
import { fromNative, located, type NodeAt } from "../native-failure.ts";
import type { Router } from "../routes.ts";

/** An input of a run; bytes become tensors. */
export type PlanInputValue = NativeValue | NativeBytes;

/** The end of a run. */
export type Done = Extract<NativeStep, { readonly kind: "done" }>;

/** What plans need. */
export interface PlanServices {
  readonly addon: Pick<Addon, "compile">;
  readonly device: string;
  readonly router: Router;
  hostNode(node: Node, graph: Graph): HostNode;
}

/** Time that JavaScript took at a node, in milliseconds of `performance.now()`. */
export type HostObserver = (node: Node, startMs: number, ms: number) => void;

/** Called with the results of each node; the run continues when it returns. */
export type NodeObserver = (node: Node, outputs: readonly NativeValue[]) => Promise<void>;

/** What may watch or stop a run. */
export interface PlanHooks {
  readonly trace?: NodeObserver;
  readonly profile?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly observe?: HostObserver;
}

/** A program in the native module, with the nodes that JavaScript computes between its parts. */
export class CompiledPlan {
  readonly inputs: readonly PlanInput[];
  readonly nodeAt: NodeAt;
  readonly #native: NativePlan;
  readonly #update: Node | null;
  readonly #hosts: ReadonlyMap<Node, HostNode>;

  /**
   * `bound` has the tensors of the inputs that stay, by the name of their value; `overwrites` and `update` are the nodes
   * that may write to them; `sparing` is that of the plan.
   */
  constructor(
    program: Pick<Program, "graph" | "inputs">,
    bound: ReadonlyMap<string, NativeTensor>,
    services: PlanServices,
    { overwrites, update = null, sparing = false }: Pick<EncodeOptions, "overwrites" | "update" | "sparing"> = {},
  ) {
    const encoded: EncodedProgram = encodeProgram(program, {
      device: services.device,
      ...(overwrites && { overwrites }),
      update,
      sparing,
      routeOf: (node) => services.router.routeOf(node),
    });
    this.#update = update;
    const tensors = encoded.inputs.map(({ value }) => bound.get(value) ?? null);
    this.inputs = encoded.inputs;
    this.nodeAt = encoded.nodeAt;
    this.#hosts = hostsOf(program, services);
    this.#native = located(() => services.addon.compile(encoded.plan, tensors), encoded.nodeAt);
  }

  /** Replaces a bound tensor, for runs that start later. */
  bind(input: number, tensor: NativeTensor): void {
    located(() => this.#native.bind(input, tensor));
  }

  /** Runs once. An abort rejects with the signal's reason. */
  async run(inputs: readonly PlanInputValue[], hooks: PlanHooks = {}): Promise<Done> {
    const { profile = false, signal, observe, trace } = hooks;
    signal?.throwIfAborted();
    const run = this.#start(inputs, { profile, step: trace !== undefined });
    const leave = onAbort(signal, () => run.cancel());
    try {
      let step = await run.resume([]);
      while (step.kind !== "done") {
        const node = this.nodeAt(step.graph, step.node)!;
        if (step.kind === "node") {
          // State has its new values when an update has run: nothing may fail after it.
          if (node !== this.#update) {
            await trace?.(node, step.outputs);
            signal?.throwIfAborted();
          }
          step = await run.resume([]);
          continue;
        }
        const start = performance.now();
        const results = await this.#hosts.get(node)!.run(step.args, { signal });
        observe?.(node, start, performance.now() - start);
        step = await run.resume(results);
      }
      return step;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw this.#failed(run, error);
    } finally {
      leave();
    }
  }

  /** Runs once on the calling thread. */
  runSync(inputs: readonly PlanInputValue[]): Done {
    const begun = located(() => this.#native.runSync(inputs, { profile: false }), this.nodeAt);
    let { step } = begun;
    try {
      while (step.kind === "host") {
        const node = this.nodeAt(step.graph, step.node)!;
        step = begun.run!.resumeSync(this.#hosts.get(node)!.runSync(step.args));
      }
      return requireDone(step);
    } catch (error) {
      throw this.#failed(begun.run!, error);
    }
  }

  /** Makes a run of fixed shapes ready to be repeated; null where the plan does not allow it. */
  direct(inputs: readonly NativeLayout[], outputs: readonly NativeLayout[]): NativeDirect | null {
    return located(() => this.#native.direct(inputs, outputs), this.nodeAt);
  }

  /** Records a run on inputs like these. Throws `libtorch.capture` for a program that cannot be recorded. */
  async capture(inputs: readonly PlanInputValue[]): Promise<NativeCapture> {
    try {
      return await this.#native.capture(inputs);
    } catch (error) {
      throw fromNative(error, this.nodeAt);
    }
  }

  /** Returns the bytes of the bound tensors' storages. */
  boundBytes(): number {
    return located(() => this.#native.boundBytes());
  }

  dispose(): void {
    this.#native.dispose();
  }

  #start(inputs: readonly PlanInputValue[], options: RunOptions): NativeRun {
    return located(() => this.#native.start(inputs, options), this.nodeAt);
  }

  /** Cancels a run that failed, which may have stopped at a host node, and returns its error. */
  #failed(run: NativeRun, error: unknown): unknown {
    run.cancel();
    return fromNative(error, this.nodeAt);
  }
}

function requireDone(step: NativeStep): Done {
  if (step.kind === "done") return step;
  throw libtorchError("libtorch.internal", { what: "A run that is not traced stopped after a node" });
}

function hostsOf({ graph }: Pick<Program, "graph">, services: PlanServices): ReadonlyMap<Node, HostNode> {
  const hosts = new Map<Node, HostNode>();
  const enter = (current: Graph): void => {
    for (const node of current.nodes) {
      const { kind } = services.router.routeOf(node);
      if (kind === "handler" || kind === "kernel" || kind === "expand")
        hosts.set(node, services.hostNode(node, current));
      for (const nested of graphsOf(node)) enter(nested.graph);
    }
  };
  enter(graph);
  return hosts;
}
