import type { Cell, RecordedCall } from "./cell.ts";

/** The calls that compute some cells, each after those that it needs, and the cells that are computed already. */
export interface Expression {
  readonly calls: readonly RecordedCall[];
  readonly leaves: readonly Cell[];
}

/** Collects what is left to run for some cells. */
export function expressionOf(targets: readonly Cell[]): Expression {
  const calls = new Set<RecordedCall>();
  const leaves = new Set<Cell>();
  const visitCall = (call: RecordedCall): void => {
    if (calls.has(call)) return;
    for (const input of call.inputs) visit(input);
    calls.add(call);
  };
  const visit = (cell: Cell): void => {
    if (cell.call === null) leaves.add(cell);
    else visitCall(cell.call);
  };
  targets.forEach(visit);
  return { calls: [...calls], leaves: [...leaves] };
}
