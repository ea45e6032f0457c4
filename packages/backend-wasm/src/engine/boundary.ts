import { viewAs } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";
import type { Graph } from "@pt2/graph";
import {
  type ArgValue,
  type Boundary,
  describeNode,
  type HandlerFrame,
  type HandlerTensor,
  type OpRegistry,
} from "@pt2/registry";
import { wasmError } from "../wasm-errors.ts";
import { runControl } from "./control.ts";
import type { DynamicKernel } from "./dynamic-kernel.ts";
import { locate, located } from "./located.ts";
import { opGraph } from "./op-graph.ts";
import { type HostData, isHostData, type RunValue } from "./run-value.ts";

/** What a boundary works with. */
export interface BoundaryHost {
  readonly dynamic: ReadonlyMap<string, DynamicKernel>;
  readonly registry: OpRegistry;
  /** The value of a tensor or number that the stage before has computed. */
  read(value: ArgValue): RunValue;
  /** Runs a graph behind the memory of the stage; its plans are kept under `key`. */
  runGraph(key: Graph | string, graph: Graph, inputs: readonly RunValue[]): Promise<readonly RunValue[]>;
}

/** Runs what stands between two stages. One entry per return of its node. */
export async function runBoundary(end: Boundary, host: BoundaryHost): Promise<readonly RunValue[]> {
  const { read } = host;
  switch (end.kind) {
    case "dynamic": {
      const kernel = host.dynamic.get(end.record.name);
      if (kernel === undefined) {
        throw wasmError("wasm.unsupported-op", {
          what: `${end.record.name} has results whose sizes depend on data, and the wasm backend has no kernel for it`,
          where: describeNode(end.node),
          advice: "Give load() a handler that has it, or use another backend.",
        });
      }
      const given = Object.fromEntries(Object.entries(end.args).map(([name, value]) => [name, read(value)]));
      return located([end], () => kernel.run(given));
    }
    case "handler": {
      const args = Object.fromEntries(Object.entries(end.args).map(([name, value]) => [name, toHandler(read(value))]));
      const call: HandlerFrame["call"] = async (op, given) => {
        const { key, graph, inputs } = opGraph(op, given, host.registry);
        const results = await host.runGraph(key, graph, inputs);
        return results.flat().map((result) => toHandler(result) as HandlerTensor);
      };
      const returned = await end.run({ args: args as HandlerFrame["args"], call });
      return (Array.isArray(returned) ? returned : [returned]).map(fromHandler);
    }
    case "control":
      try {
        const operands = end.operands.map((operand) => (isGraph(operand) ? operand : read(operand)));
        return await runControl(end.node.op, operands, (graph, inputs) => host.runGraph(graph, graph, inputs));
      } catch (error) {
        // An abort passes as it is.
        throw error instanceof Pt2Error ? locate(error, [{ record: { name: end.node.op }, node: end.node }]) : error;
      }
  }
}

function isGraph(operand: ArgValue | Graph): operand is Graph {
  return typeof operand === "object" && operand !== null && "nodes" in operand;
}

function toHandler(value: RunValue): unknown {
  if (isHostData(value)) return { dtype: value.dtype, shape: value.shape, data: viewAs(value.dtype, value.bytes) };
  return Array.isArray(value) ? value.map(toHandler) : value;
}

function fromHandler({ dtype, shape, data }: HandlerTensor): HostData {
  return { dtype, shape, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}
