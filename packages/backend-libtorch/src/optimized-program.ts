import type { Program } from "@pt2/graph";

/** The result of the passes of precision `fast`. */
export interface OptimizedProgram {
  readonly program: Program;
  /** What is computed once at load, from weights alone; null where there is nothing. */
  readonly prologue: Prologue | null;
  /** What the passes did, one line each. */
  readonly notes: readonly string[];
}

/** A program over weights: each of its results is a weight of the optimized program. */
export interface Prologue {
  /** The program, whose inputs are weights of the archive. */
  readonly program: Program;
  /** The `target` under which the optimized program takes each result, as a `tensor_constant`. */
  readonly targets: readonly string[];
}

/** Returns a program as it is. */
export function unoptimized(program: Program): OptimizedProgram {
  return { program, prologue: null, notes: [] };
}
