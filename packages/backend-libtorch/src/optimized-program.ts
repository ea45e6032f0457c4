import type { Program } from "@pt2/graph";

/** What the passes of precision `fast` make of a program. */
export interface OptimizedProgram {
  readonly program: Program;
  /** What is computed once at load, from weights alone; null where there is nothing. */
  readonly prologue: Prologue | null;
  /** What was done, one line each, for people. */
  readonly notes: readonly string[];
}

/** A program over weights: each of its results is a weight of the optimised program. */
export interface Prologue {
  /** Its inputs are weights of the archive. */
  readonly program: Program;
  /** The `target` under which the optimised program takes each result, as a `tensor_constant`. */
  readonly targets: readonly string[];
}

/** A program as it is. */
export function unoptimized(program: Program): OptimizedProgram {
  return { program, prologue: null, notes: [] };
}
