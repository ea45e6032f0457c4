import { backendError } from "@pt2/backend";
import type { Pt2Error } from "@pt2/format";
import type { Graph } from "@pt2/graph";
import { LIMITS } from "../limits.ts";
import { type Awaitable, whenReady } from "./awaitable.ts";
import { noRows, rowOf, rowsOf, someRowsOf, stackRows, truth, zeroRow } from "./host-rows.ts";
import { type HostData, isHostData, type RunValue } from "./run-value.ts";

type Operand = RunValue | Graph;

/** What control flow works with. */
export interface ControlHost {
  /** Runs a graph that the op was given. */
  call(graph: Graph, inputs: readonly RunValue[]): Promise<readonly RunValue[]>;
  /** Returns the values with their tensors in host memory. */
  fetch(values: readonly RunValue[]): Awaitable<readonly RunValue[]>;
  /** Frees these results of {@link call}, which no later step needs. */
  drop(values: readonly RunValue[]): void;
}

/** How long a loop keeps the thread before timers and messages, such as an abort, get their turn. */
const TURN_MS = 20;

/** Runs a higher-order op: `cond`, `while_loop`, `scan` or `map_impl`. Results are flat. */
export async function runControl(
  op: string,
  operands: readonly Operand[],
  { call, fetch, drop }: ControlHost,
): Promise<readonly RunValue[]> {
  let turn = performance.now();
  return CONTROL[op]!(operands, {
    fetch,
    drop,
    async call(graph, inputs) {
      if (performance.now() - turn > TURN_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        turn = performance.now();
      }
      return call(graph, inputs);
    },
  });
}

const isGraph = (operand: Operand | undefined): operand is Graph =>
  typeof operand === "object" && operand !== null && "nodes" in operand;

function graphOf(operand: Operand | undefined): Graph {
  if (isGraph(operand)) return operand;
  throw malformed("a graph is missing");
}

/** Returns the operands of a graph; none may be left out. */
function list(operand: Operand | undefined): readonly RunValue[] {
  if (operand === undefined || operand === null) return [];
  if (Array.isArray(operand)) return operand;
  throw malformed("a list of operands is missing");
}

/** Returns the operands whose first dimension is iterated over. */
async function sequences(operand: Operand | undefined, { fetch }: ControlHost): Promise<readonly HostData[]> {
  const tensors = await fetch(list(operand));
  if (tensors.every((tensor): tensor is HostData => isHostData(tensor))) return tensors;
  throw malformed("a sequence is not a tensor");
}

function isTrue(operand: Operand | undefined, { fetch }: ControlHost): Awaitable<boolean> {
  if (operand === undefined || isGraph(operand)) throw malformed("a value is missing");
  return whenReady(fetch([operand]), ([value]) => truth(value!));
}

/** Fetches the results of a call to the host and frees them on the device. */
async function taken(host: ControlHost, values: readonly RunValue[]): Promise<readonly RunValue[]> {
  const fetched = await host.fetch(values);
  host.drop(values);
  return fetched;
}

function malformed(what: string): Pt2Error {
  return backendError("backend.control-flow", {
    what: `The operands of a control-flow operator are not as PyTorch writes them: ${what}`,
    advice: "The program is damaged: export it again.",
  });
}

const CONTROL: Readonly<
  Record<string, (operands: readonly Operand[], host: ControlHost) => Promise<readonly RunValue[]>>
> = {
  /** Operands: `(pred, true graph, false graph, operands)`. */
  "higher_order::cond": async ([pred, yes, no, operands], host) =>
    host.call(graphOf((await isTrue(pred, host)) ? yes : no), list(operands)),

  /** Operands: `(cond graph, body graph, carried, additional)`. */
  "higher_order::while_loop": async ([cond, body, carried, additional], host) => {
    let values = list(carried);
    for (let i = 0; ; i++) {
      const [goOn] = await host.call(graphOf(cond), [...values, ...list(additional)]);
      const more = await isTrue(goOn, host);
      host.drop([goOn!]);
      if (!more) return values;
      if (i >= LIMITS.iterations) {
        throw backendError("backend.endless-loop", {
          what: `while_loop did not end within ${LIMITS.iterations} iterations`,
          advice: "Check the loop's condition for these inputs.",
        });
      }
      const next = await host.call(graphOf(body), [...values, ...list(additional)]);
      if (i > 0) host.drop(values);
      values = next;
    }
  },

  /** Operands: `(combine graph, init, xs, additional)`. Results: the carries, then ys stacked on dim 0. */
  "higher_order::scan": async ([combine, init, xs, additional], host) => {
    let carry = list(init);
    const inputs = await sequences(xs, host);
    const ys: (readonly RunValue[])[] = [];
    for (let i = 0; i < someRowsOf(inputs); i++) {
      const out = await host.call(graphOf(combine), [...carry, ...inputs.map((x) => rowOf(x, i)), ...list(additional)]);
      if (i > 0) host.drop(carry);
      carry = out.slice(0, carry.length);
      ys.push(await taken(host, out.slice(carry.length)));
    }
    return [...carry, ...stackRows(ys)];
  },

  /** Operands: `(body graph, xs, extra)`. Results: the outputs stacked on dim 0. */
  "higher_order::map_impl": async ([body, xs, extra], host) => {
    const inputs = await sequences(xs, host);
    const apply = async (row: readonly HostData[]): Promise<readonly RunValue[]> =>
      taken(host, await host.call(graphOf(body), [...row, ...list(extra)]));
    const count = rowsOf(inputs);
    // Without rows, a row of zeros shows what the results are like.
    if (count === 0) return noRows(await apply(inputs.map(zeroRow)));
    const rows: (readonly RunValue[])[] = [];
    for (let i = 0; i < count; i++) rows.push(await apply(inputs.map((x) => rowOf(x, i))));
    return stackRows(rows);
  },
};
