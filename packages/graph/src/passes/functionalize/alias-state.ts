import type { Node } from "../../ir.ts";
import type { ViewInverse } from "./effects.ts";

/** One memory: an input, or the fresh result of a node. */
export class Memory {
  /** Number of writes to it so far. */
  generation = 0;
  /** The tensor that is all of it. */
  readonly base: Tensor;
  /** Where it comes from, if that may be other memories: a node of which nobody says what it aliases. */
  origin: OpaqueOrigin | null = null;

  constructor(value: string) {
    this.base = { memory: this, parent: null, step: null, value, generation: 0 };
  }
}

/** A node that may have given views of its arguments, and how often these memories had been written to. */
export interface OpaqueOrigin {
  readonly node: Node;
  readonly given: ReadonlyMap<Memory, number>;
}

/** How a view comes out of its parent. */
export interface ViewStep {
  /** The viewing node; its argument `arg` is the parent, or has it at position `argItem`. */
  readonly node: Node;
  readonly arg: string;
  readonly argItem: number | null;
  /** Which result of the node this is: the return, and the position in it where that is a list. */
  readonly output: number;
  readonly item: number | null;
  /** The views that the node makes of the parent, by position among its results. */
  readonly siblings: (Tensor | undefined)[];
  /** Whether PyTorch itself decides at run time between a view and a copy, and the types here do not tell which. */
  readonly uncertain: boolean;
  /** How it is written through, where that is known. */
  readonly inverse: ViewInverse | undefined;
  /** Whether somebody runs the node himself: what is known of its operator does not hold. */
  readonly claimed: boolean;
}

/** A tensor of the mutable program: a memory, or a view of one. It stands for many values over time. */
export interface Tensor {
  readonly memory: Memory;
  readonly parent: Tensor | null;
  readonly step: ViewStep | null;
  /** The value of the new program that holds the content, */
  value: string;
  /** as it was after that many writes to the memory. */
  generation: number;
}

/** A view of `parent`, up to date. */
export function newView(parent: Tensor, step: ViewStep, value: string): Tensor {
  return { memory: parent.memory, parent, step, value, generation: parent.memory.generation };
}
