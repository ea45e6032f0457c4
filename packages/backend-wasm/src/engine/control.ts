import { Pt2Error } from "@pt2/format";
import type { Graph } from "@pt2/graph";
import { rowOf, rowsOf, stackRows, truth } from "./host-rows.ts";
import { LIMITS } from "./limits.ts";
import type { HostData, RunValue } from "./run-value.ts";

type Operand = RunValue | Graph;
/** Runs a graph that the op was given. */
type Call = (graph: Graph, inputs: readonly RunValue[]) => Promise<readonly RunValue[]>;

/** Runs a higher-order op: `cond`, `while_loop`, `scan` or `map_impl`. Results are flat. */
export function runControl(op: string, operands: readonly Operand[], call: Call): Promise<readonly RunValue[]> {
  return CONTROL[op]!(operands, call);
}

const list = (operand: Operand | undefined): readonly RunValue[] => (operand ?? []) as unknown as readonly RunValue[];

const CONTROL: Readonly<Record<string, (operands: readonly Operand[], call: Call) => Promise<readonly RunValue[]>>> = {
  /** `(pred, true graph, false graph, operands)` */
  "higher_order::cond": ([pred, yes, no, operands], call) =>
    call((truth(pred as RunValue) ? yes : no) as Graph, list(operands)),

  /** `(cond graph, body graph, carried, additional)` */
  "higher_order::while_loop": async ([cond, body, carried, additional], call) => {
    let values = list(carried);
    for (let i = 0; ; i++) {
      const [goOn] = await call(cond as Graph, [...values, ...list(additional)]);
      if (!truth(goOn!)) return values;
      if (i >= LIMITS.iterations) {
        throw new Pt2Error("wasm.endless-loop", {
          what: `while_loop did not end within ${LIMITS.iterations} iterations`,
          advice: "Check the loop's condition for these inputs.",
        });
      }
      values = await call(body as Graph, [...values, ...list(additional)]);
    }
  },

  /** `(combine graph, init, xs, additional)` → carries, then ys stacked on dim 0 */
  "higher_order::scan": async ([combine, init, xs, additional], call) => {
    let carry = list(init);
    const inputs = list(xs) as readonly HostData[];
    const ys: (readonly RunValue[])[] = [];
    for (let i = 0; i < rowsOf(inputs); i++) {
      const out = await call(combine as Graph, [...carry, ...inputs.map((x) => rowOf(x, i)), ...list(additional)]);
      carry = out.slice(0, carry.length);
      ys.push(out.slice(carry.length));
    }
    return [...carry, ...stackRows(ys)];
  },

  /** `(body graph, xs, extra)` → outputs stacked on dim 0 */
  "higher_order::map_impl": async ([body, xs, extra], call) => {
    const inputs = list(xs) as readonly HostData[];
    const rows: (readonly RunValue[])[] = [];
    for (let i = 0; i < rowsOf(inputs); i++) {
      rows.push(await call(body as Graph, [...inputs.map((x) => rowOf(x, i)), ...list(extra)]));
    }
    return stackRows(rows);
  },
};
