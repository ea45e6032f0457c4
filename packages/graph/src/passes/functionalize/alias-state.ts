import type { Node } from "../../ir.ts";

/** One memory: an input, or the fresh result of a node. */
export class Memory {
  /** Number of writes to it so far. */
  generation = 0;
  /** The tensor that is all of it. */
  readonly base: Tensor;

  constructor(value: string) {
    this.base = { memory: this, parent: null, step: null, value, generation: 0 };
  }
}

/** How a view comes out of its parent. */
export interface ViewStep {
  /** The viewing node; its argument `arg` is the parent. */
  readonly node: Node;
  readonly arg: string;
  /** Which result of the node this is: the return, and the position in it where that is a list. */
  readonly output: number;
  readonly item: number | null;
  /** The views that the node makes together, by position among its results. */
  readonly siblings: (Tensor | undefined)[];
  /** Whether PyTorch itself decides at run time between a view and a copy, and the types here do not tell which. */
  readonly uncertain: boolean;
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
