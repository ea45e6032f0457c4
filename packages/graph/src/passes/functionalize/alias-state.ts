import type { Node } from "../../ir.ts";

/** One memory: an input, or the fresh result of a node. `generation` counts the writes to it. */
export interface Memory {
  generation: number;
  readonly base: Tensor;
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

/** A tensor with memory of its own. */
export function newMemory(value: string): Tensor {
  const memory: { generation: number; base: Tensor } = { generation: 0, base: undefined as unknown as Tensor };
  memory.base = { memory, parent: null, step: null, value, generation: 0 };
  return memory.base;
}

/** A view of `parent`, up to date. */
export function newView(parent: Tensor, step: ViewStep, value: string): Tensor {
  return { memory: parent.memory, parent, step, value, generation: parent.memory.generation };
}
