import type { Node } from "../../ir.ts";
import type { ViewInverse } from "./effects.ts";

/** One memory: an input, or the new result of a node. */
export class Memory {
  /** The number of writes to it so far. */
  generation = 0;
  /** The tensor that covers all of it. */
  readonly base: Tensor;
  /** The value that it was created with, whose type says how PyTorch lays it out. */
  readonly created: string;
  /** The node that created it, if it may share memory with that node's arguments because its aliasing is unknown. */
  origin: OpaqueOrigin | null = null;

  constructor(value: string) {
    this.created = value;
    this.base = { memory: this, parent: null, step: null, value, generation: 0 };
  }
}

/** A node that may have returned views of its arguments, with the write counts of these memories at that point. */
export interface OpaqueOrigin {
  readonly node: Node;
  readonly given: ReadonlyMap<Memory, number>;
}

/** Describes how a view is derived from its parent. */
export interface ViewStep {
  /** The view node; its argument `arg` is the parent, or contains it at position `argItem`. */
  readonly node: Node;
  readonly arg: string;
  readonly argItem: number | null;
  /** The index of the return, and the position in it where that is a list. */
  readonly output: number;
  readonly item: number | null;
  /** All views that the node creates of the parent, by position among its results. */
  readonly siblings: (Tensor | undefined)[];
  /** Whether PyTorch decides at run time between a view and a copy, and the types here do not determine which. */
  readonly uncertain: boolean;
  /** The rule for writing through it, where one is known. */
  readonly inverse: ViewInverse | undefined;
  /** Whether a handler or a user's op set takes over the node, so that built-in knowledge of its op does not apply. */
  readonly claimed: boolean;
}

/** A tensor of the mutable program: a memory, or a view of one. Different values hold its content over time. */
export interface Tensor {
  readonly memory: Memory;
  readonly parent: Tensor | null;
  readonly step: ViewStep | null;
  /** The value of the new program that holds the content, */
  value: string;
  /** and the write count of the memory at that point. */
  generation: number;
}

/** Creates an up-to-date view of `parent`. */
export function newView(parent: Tensor, step: ViewStep, value: string): Tensor {
  return { memory: parent.memory, parent, step, value, generation: parent.memory.generation };
}
