import { Pt2Error } from "@pt2/format";
import type { Arg, Graph, NamedArg, Node } from "@pt2/graph";
import type { HandlerTensor } from "@pt2/registry";
import type { ExecutableState } from "./executable-state.ts";
import { GraphRunner } from "./graph-runner.ts";
import type { HostData, RunValue } from "./run-value.ts";

/** Runs one op for a handler, as a graph of one node. */
export async function callOp(
  op: string,
  given: Readonly<Record<string, unknown>>,
  state: ExecutableState,
  arenaStart: number,
): Promise<readonly RunValue[]> {
  const record = state.lowerOptions.registry.resolve(op);
  if (record === undefined) {
    throw new Pt2Error("wasm.unsupported-op", {
      what: `A handler called ${op}, which no op set has`,
      advice: "Check the name; it is written ns::op.overload.",
    });
  }
  const inputs: HostData[] = [];
  const toArg = (value: unknown): Arg => {
    if (isHandlerTensor(value)) {
      const { data } = value;
      inputs.push({
        dtype: value.dtype,
        shape: value.shape,
        bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
      });
      return { kind: "value", name: `x${inputs.length - 1}` };
    }
    if (value === null || value === undefined) return { kind: "none" };
    if (Array.isArray(value)) return { kind: "list", items: value.map(toArg) };
    if (typeof value === "object" && "float" in value) return { kind: "float", value: Number(value.float) };
    if (typeof value === "number") return Number.isInteger(value) ? { kind: "int", value } : { kind: "float", value };
    if (typeof value === "bigint") return { kind: "int", value };
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
  const outputs = await new GraphRunner(graph, state, arenaStart).run(inputs);
  return outputs.flat() as readonly RunValue[];
}

function isHandlerTensor(value: unknown): value is HandlerTensor {
  return typeof value === "object" && value !== null && "data" in value && "shape" in value;
}
