import { backendError, hostTensor } from "@pt2/backend";
import type { Arg, Graph, NamedArg, Node } from "@pt2/graph";
import type { HandlerTensor, OpRegistry } from "@pt2/registry";
import type { RunValue } from "./run-value.ts";

/** A graph of one node, with its tensors and numbers as inputs. */
export interface OpGraph {
  /** A key that is the same for calls that differ only in their tensors and numbers. */
  readonly key: string;
  readonly graph: Graph;
  readonly inputs: readonly RunValue[];
}

/** Builds the graph that runs one op for a handler. */
export function opGraph(op: string, given: Readonly<Record<string, unknown>>, registry: OpRegistry): OpGraph {
  const record = registry.resolve(op);
  if (record === undefined) {
    throw backendError("backend.unsupported-op", {
      what: `A handler called ${op}, which no op set has`,
      advice: "Check the name; it is written ns::op.overload.",
    });
  }
  const inputs: RunValue[] = [];
  const input = (value: RunValue): Arg => ({ kind: "value", name: `x${inputs.push(value) - 1}` });
  const toArg = (value: unknown): Arg => {
    if (isHandlerTensor(value)) {
      const { dtype, shape, data } = value;
      return input({ dtype, shape, bytes: hostTensor(dtype, shape, data).bytes });
    }
    if (value === null || value === undefined) return { kind: "none" };
    if (Array.isArray(value)) return { kind: "list", items: value.map(toArg) };
    if (typeof value === "object" && "float" in value) return input({ float: Number(value.float) });
    if (typeof value === "number") return input(Number.isInteger(value) ? value : { float: value });
    if (typeof value === "bigint") return input(value);
    return typeof value === "boolean" ? { kind: "bool", value } : { kind: "string", value: String(value) };
  };
  const args: NamedArg[] = Object.entries(given).map(([name, value]) => ({ name, arg: toArg(value) }));
  const results = record.schema.returns.map((_, i) => `y${i}`);
  const node: Node = {
    name: "call",
    op: record.name,
    args,
    outputs: results.map((name) => ({ kind: "value", name })),
    origin: {},
  };
  const graph: Graph = {
    inputs: inputs.map((_, i) => `x${i}`),
    nodes: [node],
    outputs: results.map((name) => ({ kind: "value", name })),
    values: new Map(),
  };
  const key = JSON.stringify([record.name, args]);
  return { key, graph, inputs };
}

function isHandlerTensor(value: unknown): value is HandlerTensor {
  return typeof value === "object" && value !== null && "data" in value && "shape" in value;
}
