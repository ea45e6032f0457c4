import { numel } from "@pt2/format";
import type { KernelCall } from "../engine/kernel.ts";
import { partScratch } from "../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../engine/tensor-view.ts";
import { eachWhole, type Part } from "../threads/team.ts";
import { planarKernels } from "./conv/planar-module.ts";

/** Columns that parts of a step begin at multiples of: a cache line. */
const COLUMNS = 16;

/** Of an exponential and a division. */
const NANOSECONDS_EACH = 1;

/** Plans softmax over a dimension that others follow, or its logarithm. */
export type ColumnPlanner = (from: TensorView, to: TensorView, dim: number, isLog: boolean) => void;

/** Returns what plans softmax over columns that lie side by side, with the kernels of planes. */
export async function columnPlanner(call: KernelCall): Promise<ColumnPlanner> {
  const { softmaxColumns, softmaxScratch } = await planarKernels(call);
  return (from, to, dim, isLog) => {
    const n = from.shape[dim]!;
    const inner = numel(from.shape.slice(dim + 1));
    const outer = numel(from.shape.slice(0, dim));
    if (n * inner * outer === 0) return;
    // What is left behind the last whole piece is part of it.
    const pieces = Math.max(1, Math.floor(inner / COLUMNS));
    const parts = call.team.parts({ items: outer * pieces, nanoseconds: n * inner * outer * NANOSECONDS_EACH });
    const scratchOf = partScratch(call, parts, softmaxScratch(n) >>> 0);
    const compute = (part: Part): void =>
      eachWhole(part, pieces, (index, first, count) => {
        const offset = 4 * (index * n * inner + first * COLUMNS);
        const columns = first + count === pieces ? inner - first * COLUMNS : count * COLUMNS;
        const [source, target] = [addressOf(from) + offset, addressOf(to) + offset];
        softmaxColumns(source, target, n, 4 * inner, columns, Number(isLog), scratchOf(part));
      });
    call.step(call.team.step(parts, compute));
  };
}
