import type { Node } from "@pt2/graph";
import type { OpRecord } from "../op.ts";
import type { ArgValue } from "../tensor-meta.ts";
import type { TypedCall } from "./elementwise.ts";

/**
 * A call of a lowered program: its shapes are concrete, its arguments are resolved by schema, and it has no symbols.
 */
export interface Call {
  readonly record: OpRecord;
  /**
   * Every backend runs `scalar` and `view` calls from the record alone; `native` calls are those that the backend has a
   * kernel for.
   */
  readonly kind: "scalar" | "view" | "native";
  /**
   * The arguments by their names in the schema. A tensor is a {@link LoweredTensor}, or a wrapped number
   * (`TensorMeta.wrapped`).
   */
  readonly args: Readonly<Record<string, ArgValue>>;
  /** One entry per return: a {@link LoweredTensor}, an array of them, a number, or null. */
  readonly results: readonly ArgValue[];
  /** For `scalar` calls: the typed expression and its operands. */
  readonly scalar?: TypedCall;
  /** Whether an op set provides the kernel that runs it. */
  readonly packaged?: true | undefined;
  /** The node of the program that the call comes from. */
  readonly node: Node;
}

/** A node, and what it came to. */
export interface LoweredNode {
  readonly node: Node;
  readonly calls: readonly Call[];
  readonly results: readonly ArgValue[];
}
