import type { Clamp } from "../../engine/clamp.ts";
import { NO_CLAMP } from "../../engine/context.ts";
import type { PlanContext } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { clampArgs, PANEL } from "./gemm.ts";

/** Bytes of floats that stay in the second cache while rows pass over them. */
const HELD_BYTES = 1 << 17;

/** Where a panel's rows, results and summands lie; `bias` is 0 where there is none. */
interface Addresses {
  readonly a: number;
  readonly c: number;
  readonly bias: number;
}

/** A product with a weight whose packed panels hold something narrower than floats. */
interface NarrowProduct {
  /** [M, K] */
  readonly rows: TensorView;
  /** [M, N] */
  readonly out: TensorView;
  readonly bias: TensorView | null;
  readonly clamp?: Clamp;
  /** Of a multiplication and an addition of few rows. */
  readonly nanoseconds: number;
  /** The most rows that read the weight themselves: more of them share what is made floats once. */
  readonly fewRows: number;
  /** Computes all rows with `columns` from panel `at` on. */
  few(at: number, columns: number, addresses: Addresses): void;
  /** Writes panels from `at` on as floats, as the matrix product reads them, maybe two more. */
  widen(at: number, columns: number, to: number): void;
}

/** Plans a product of few rows by `few`, and one of more by making panels floats, as many at a time as a cache holds. */
export function planPanels(
  ctx: PlanContext,
  { rows, out, bias, clamp, nanoseconds, fewRows, ...how }: NarrowProduct,
): void {
  const [M, K] = rows.shape as readonly [number, number];
  const N = out.shape[1]!;
  const isFew = M <= fewRows;
  const parts = ctx.team.parts({ items: N, unit: PANEL, nanoseconds: M * N * K * nanoseconds });
  const held = Math.max(1, Math.floor(HELD_BYTES / (K * PANEL * 4))) * PANEL;
  const scratchOf = partScratch(ctx, parts, isFew ? 0 : Math.min(held, Math.ceil(N / PANEL) * PANEL) * K * 4 + 32);
  const compute = (part: Part): void => {
    const end = part.start + part.count;
    const addresses = (at: number): Addresses => ({
      a: addressOf(rows),
      c: addressOf(out) + 4 * at,
      bias: bias === null ? 0 : addressOf(bias) + 4 * at,
    });
    if (isFew) {
      how.few(part.start / PANEL, part.count, addresses(part.start));
      return;
    }
    const floats = scratchOf(part);
    for (let at = part.start; at < end; at += held) {
      const [count, { a, c, bias }] = [Math.min(held, end - at), addresses(at)];
      how.widen(at / PANEL, count, floats);
      ctx.kernels.gemmPacked(M, count, K, a, K, floats, c, N, bias, ...clampArgs(clamp ?? NO_CLAMP));
    }
  };
  ctx.step(ctx.team.step(parts, compute));
}
