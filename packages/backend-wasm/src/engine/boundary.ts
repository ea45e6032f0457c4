import { viewAs } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";
import type { Graph } from "@pt2/graph";
import {
  type ArgValue,
  type Boundary,
  describeNode,
  type HandlerFrame,
  type HandlerTensor,
  isTensor,
} from "@pt2/registry";
import { callOp } from "./call-op.ts";
import { runControl } from "./control.ts";
import type { ExecutableState } from "./executable-state.ts";
import type { StageNode } from "./graph-runner.ts";
import { type HostData, isHostData, type RunValue } from "./run-value.ts";

/** Runs what stands between two stages. One entry per return of its node. */
export async function runBoundary(
  end: Boundary,
  node: StageNode,
  state: ExecutableState,
  read: (value: ArgValue) => RunValue,
): Promise<readonly RunValue[]> {
  switch (end.kind) {
    case "dynamic": {
      const kernel = state.dynamic.get(end.record.name);
      if (kernel === undefined) {
        throw new Pt2Error("wasm.unsupported-op", {
          what: `${end.record.name} has results whose sizes depend on data, and the wasm backend has no kernel for it`,
          where: describeNode(end.node),
          advice: "Give load() a handler that has it, or use another backend.",
        });
      }
      return kernel.run(Object.fromEntries(Object.entries(end.args).map(([name, value]) => [name, read(value)])));
    }
    case "handler": {
      const args = Object.fromEntries(Object.entries(end.args).map(([name, value]) => [name, toHandler(read(value))]));
      const call: HandlerFrame["call"] = async (op, given) => {
        const results = await callOp(op, given, state, node.plan.arenaEnd);
        return results.map((result) => toHandler(result) as HandlerTensor);
      };
      const returned = await end.run({ args: args as HandlerFrame["args"], call });
      return (Array.isArray(returned) ? returned : [returned]).map(fromHandler);
    }
    case "control":
      return runControl(
        end.node.op,
        end.operands.map((operand) => (isGraph(operand) ? operand : read(operand))),
        node,
        state,
      );
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
