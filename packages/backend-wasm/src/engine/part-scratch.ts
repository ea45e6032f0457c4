import type { Part } from "../threads/team.ts";
import type { PlanContext } from "./kernel.ts";

const CACHE_LINE = 64;

/**
 * Allocates scratch of `bytes` for each part of a step, on cache lines of its own. Returns the function that finds a
 * part's address, which is valid inside the step.
 */
export function partScratch(ctx: PlanContext, parts: readonly Part[], bytes: number): (part: Part) => number {
  const each = Math.ceil(bytes / CACHE_LINE) * CACHE_LINE;
  const block = ctx.scratch(parts.length * each);
  return ({ index }) => block.handle + index * each;
}
