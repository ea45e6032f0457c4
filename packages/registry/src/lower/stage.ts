import type { Graph, Node } from "@pt2/graph";
import type { HandlerFunction } from "../handler.ts";
import type { OpRecord } from "../op.ts";
import type { ArgValue } from "../tensor-meta.ts";
import type { HandlerAnswer } from "../user-ops/handler-results.ts";
import type { Call } from "./call.ts";
import type { LoweredTensor } from "./lowered-tensor.ts";
import type { Repetition } from "./repetition.ts";
import type { RuntimeScalars } from "./runtime-scalar.ts";

/** A point where a program must run what comes before it can be lowered further. */
export type GraphBreak =
  /** An op whose result sizes (or number of results) depend on data. */
  | { readonly kind: "dynamic"; readonly record: OpRecord; readonly args: Call["args"]; readonly node: Node }
  /** A function of a handler. */
  | HandlerGraphBreak
  /** `cond`, `while_loop`, `scan`, `map_impl`: operands by position, which include {@link Graph}s. */
  | { readonly kind: "control"; readonly operands: readonly (ArgValue | Graph)[]; readonly node: Node };

/** A node that a handler's function runs. */
export interface HandlerGraphBreak {
  readonly kind: "handler";
  readonly run: HandlerFunction;
  readonly args: Call["args"];
  readonly node: Node;
  /**
   * Returns the results of the node, one entry per output, from what the function returned and from the arguments that
   * it was given. Throws if they do not match the program.
   */
  answers(returned: unknown, args: Readonly<Record<string, unknown>>): readonly HandlerAnswer[];
}

/** A sequence of calls with fixed shapes, and the graph break that ends it. */
export interface Stage {
  readonly calls: readonly Call[];
  readonly end: GraphBreak | { readonly kind: "return"; readonly outputs: readonly ArgValue[] };
  /** The tensors that the graph break or a later call reads: they must outlive the calls. */
  readonly live: ReadonlySet<LoweredTensor>;
  /**
   * The runtime scalars whose values the stage depends on: the stage is valid for a run as long as they are the same.
   */
  readonly numbers: RuntimeScalars;
  /** How the graph is lowered again for inputs of other sizes, where there may be such, and the stage is the whole of it. */
  readonly again?: LowerAgain | undefined;
  /** Continues after the graph break with its results (one entry per return of its node). */
  resume(results: readonly ArgValue[]): Promise<Stage>;
}

/** Lowers a graph again for other inputs. */
export interface LowerAgain {
  /** Whether it is known that loose classes of nodes do not do. */
  readonly needsStrict: boolean;
  /**
   * Lowers for inputs of which those that are not given are as they were. Resolves to null where it has to be lowered from
   * the beginning, or with strict classes.
   */
  repeat(inputs: ReadonlyMap<string, ArgValue>, isStrict: boolean): Promise<Repetition | null>;
}
