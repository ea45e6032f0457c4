import { backendError, HostTensor, hostTensor } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";
import type { Graph, Node } from "@pt2/graph";
import {
  type ArgValue,
  describeNode,
  type GraphBreak,
  type HandlerAnswer,
  type HandlerFrame,
  type HandlerTensor,
  type OpRegistry,
} from "@pt2/registry";
import { DYNAMIC_KERNELS } from "../dynamic/dynamic-kernels.ts";
import { type Awaitable, whenReady } from "./awaitable.ts";
import { runControl } from "./control.ts";
import { addErrorLocation, withErrorLocation } from "./error-location.ts";
import { opGraph } from "./op-graph.ts";
import { isHostData, type RunValue } from "./run-value.ts";

export { capture } from "./captured.ts";

/** What a graph break works with. */
export interface GraphBreakHost {
  /** The name of the backend in errors. */
  readonly backend: string;
  readonly registry: OpRegistry;
  /** The number of handlers that wait for what runs here. */
  readonly depth: number;
  /**
   * Returns values that the stage before has computed; the data of tensors is on the host only where `to` is `host`.
   */
  read(values: readonly ArgValue[], to: "host" | "anywhere"): Awaitable<readonly RunValue[]>;
  /** Returns the values with their tensors in host memory. */
  fetch(values: readonly RunValue[]): Awaitable<readonly RunValue[]>;
  /** Frees these results of {@link runGraph}, which no later step needs, but for those in `kept`. */
  drop(values: readonly RunValue[], kept?: readonly RunValue[]): void;
  /** Runs a graph in memory after that of the stage; its plans are kept under `key`. */
  runGraph(
    key: Graph | string,
    graph: Graph,
    inputs: readonly RunValue[],
    depth?: number,
  ): Promise<readonly RunValue[]>;
}

/** Runs what stands between two stages. Returns one entry per return of its node. */
export async function runGraphBreak(end: GraphBreak, host: GraphBreakHost): Promise<readonly RunValue[]> {
  switch (end.kind) {
    case "dynamic": {
      const kernel = DYNAMIC_KERNELS.get(end.record.name);
      if (kernel === undefined) {
        throw backendError("backend.unsupported-op", {
          what: `${end.record.name} has results whose sizes depend on data, and the ${host.backend} backend has no kernel for it`,
          where: describeNode(end.node),
          advice: "Give load() a handler for this op, or use another backend.",
        });
      }
      return whenReady(readArgs(end.args, host), (given) =>
        withErrorLocation([end], () => requireCounts(kernel.run(given), end.node)),
      );
    }
    case "handler": {
      const { depth } = host;
      host.registry.checks?.requireDepth(depth, end.node);
      const given = await readArgs(end.args, host);
      const args = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toHandler(value)]));
      const call: HandlerFrame["call"] = async (op, given) => {
        await host.registry.load([op]);
        const { key, graph, inputs } = opGraph(op, given, host.registry);
        const results = await host.fetch(await host.runGraph(key, graph, inputs, depth + 1));
        return results.flat().map((result) => toHandler(result) as HandlerTensor);
      };
      const returned = await end.run({ args: args as HandlerFrame["args"], call });
      return end.answers(returned, args).map(fromHandler);
    }
    case "control":
      try {
        const values = await host.read(
          end.operands.filter((operand): operand is ArgValue => !isGraph(operand)),
          "anywhere",
        );
        let at = 0;
        const operands = end.operands.map((operand) => (isGraph(operand) ? operand : values[at++]!));
        const results = await runControl(end.node.op, operands, {
          call: (graph, inputs) => host.runGraph(graph, graph, inputs),
          fetch: (given) => host.fetch(given),
          drop: (given) => host.drop(given),
        });
        host.drop(values, results);
        return results;
      } catch (error) {
        // An abort is rethrown unchanged.
        throw error instanceof Pt2Error
          ? addErrorLocation(error, [{ record: { name: end.node.op }, node: end.node }])
          : error;
      }
  }
}

/** Refuses a list that is longer or shorter than that of the program, which has names for its items. */
function requireCounts(results: readonly RunValue[], { op, outputs }: Node): readonly RunValue[] {
  for (const [i, output] of outputs.entries()) {
    const result = results[i];
    if (output.kind !== "list" || !Array.isArray(result) || result.length === output.names.length) continue;
    throw backendError("backend.data", {
      what: `\`${op}\` returned a list of ${result.length}, and the program was recorded with ${output.names.length}`,
      advice: "Check the values that the program computes this from.",
    });
  }
  return results;
}

function readArgs(
  args: Readonly<Record<string, ArgValue>>,
  host: GraphBreakHost,
): Awaitable<Readonly<Record<string, RunValue>>> {
  return whenReady(host.read(Object.values(args), "host"), (values) =>
    Object.fromEntries(Object.keys(args).map((name, i) => [name, values[i]!])),
  );
}

function isGraph(operand: ArgValue | Graph): operand is Graph {
  return typeof operand === "object" && operand !== null && "nodes" in operand;
}

function toHandler(value: RunValue): unknown {
  if (isHostData(value)) return new HostTensor(value.dtype, value.shape, value.bytes);
  return Array.isArray(value) ? value.map(toHandler) : value;
}

function fromHandler(answer: HandlerAnswer): RunValue {
  if (Array.isArray(answer)) return answer.map(fromHandler) as unknown as RunValue;
  const { dtype, shape, data } = answer as HandlerTensor;
  return { dtype, shape, bytes: hostTensor(dtype, shape, data).bytes };
}
