import type { Pt2Error } from "@pt2/format";
import type { Graph } from "@pt2/graph";
import { wasmError } from "../wasm-errors.ts";
import { rowOf, rowsOf, stackRows, truth } from "./host-rows.ts";
import { LIMITS } from "./limits.ts";
import { type HostData, isHostData, type RunValue } from "./run-value.ts";

type Operand = RunValue | Graph;
/** Runs a graph that the op was given. */
type Call = (graph: Graph, inputs: readonly RunValue[]) => Promise<readonly RunValue[]>;

/** How long a loop keeps the thread before timers and messages, an abort among them, get their turn. */
const TURN_MS = 20;

/** Runs a higher-order op: `cond`, `while_loop`, `scan` or `map_impl`. Results are flat. */
export async function runControl(op: string, operands: readonly Operand[], call: Call): Promise<readonly RunValue[]> {
  let turn = performance.now();
  return CONTROL[op]!(operands, async (graph, inputs) => {
    if (performance.now() - turn > TURN_MS) {
      await new Promise((resolve) => setTimeout(resolve));
      turn = performance.now();
    }
    return call(graph, inputs);
  });
}

const isGraph = (operand: Operand | undefined): operand is Graph =>
  typeof operand === "object" && operand !== null && "nodes" in operand;

function graphOf(operand: Operand | undefined): Graph {
  if (isGraph(operand)) return operand;
  throw malformed("a graph is missing");
}

/** Operands of a graph; none may be left out. */
function list(operand: Operand | undefined): readonly RunValue[] {
  if (operand === undefined || operand === null) return [];
  if (Array.isArray(operand)) return operand;
  throw malformed("a list of operands is missing");
}

/** Operands whose first dimension is run through. */
function sequences(operand: Operand | undefined): readonly HostData[] {
  const tensors = list(operand);
  if (tensors.every((tensor): tensor is HostData => isHostData(tensor))) return tensors;
  throw malformed("a sequence is no tensor");
}

function scalarOf(operand: Operand | undefined): RunValue {
  if (operand !== undefined && !isGraph(operand)) return operand;
  throw malformed("a value is missing");
}

function malformed(what: string): Pt2Error {
  return wasmError("wasm.control-flow", {
    what: `The operands of a control-flow operator are not as PyTorch writes them: ${what}`,
    advice: "The program is damaged: export it again.",
  });
}

const CONTROL: Readonly<Record<string, (operands: readonly Operand[], call: Call) => Promise<readonly RunValue[]>>> = {
  /** `(pred, true graph, false graph, operands)` */
  "higher_order::cond": ([pred, yes, no, operands], call) =>
    call(graphOf(truth(scalarOf(pred)) ? yes : no), list(operands)),

  /** `(cond graph, body graph, carried, additional)` */
  "higher_order::while_loop": async ([cond, body, carried, additional], call) => {
    let values = list(carried);
    for (let i = 0; ; i++) {
      const [goOn] = await call(graphOf(cond), [...values, ...list(additional)]);
      if (!truth(scalarOf(goOn))) return values;
      if (i >= LIMITS.iterations) {
        throw wasmError("wasm.endless-loop", {
          what: `while_loop did not end within ${LIMITS.iterations} iterations`,
          advice: "Check the loop's condition for these inputs.",
        });
      }
      values = await call(graphOf(body), [...values, ...list(additional)]);
    }
  },

  /** `(combine graph, init, xs, additional)` → carries, then ys stacked on dim 0 */
  "higher_order::scan": async ([combine, init, xs, additional], call) => {
    let carry = list(init);
    const inputs = sequences(xs);
    const ys: (readonly RunValue[])[] = [];
    for (let i = 0; i < rowsOf(inputs); i++) {
      const out = await call(graphOf(combine), [...carry, ...inputs.map((x) => rowOf(x, i)), ...list(additional)]);
      carry = out.slice(0, carry.length);
      ys.push(out.slice(carry.length));
    }
    return [...carry, ...stackRows(ys)];
  },

  /** `(body graph, xs, extra)` → outputs stacked on dim 0 */
  "higher_order::map_impl": async ([body, xs, extra], call) => {
    const inputs = sequences(xs);
    const rows: (readonly RunValue[])[] = [];
    for (let i = 0; i < rowsOf(inputs); i++) {
      rows.push(await call(graphOf(body), [...inputs.map((x) => rowOf(x, i)), ...list(extra)]));
    }
    return stackRows(rows);
  },
};
