import type { DataOf, Profile, RunOptions, Tensor, TraceObserver, WarmupOptions } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { Model } from "./model.ts";

/**
 * The types of one model's calls. `pt2 types model.pt2` writes an interface that extends this one, for
 * `load<DigitsModel>(…)`.
 */
export interface ModelTypes {
  /** All parameters of `forward`, by name. */
  readonly parameters: object;
  /** The positional arguments, in order. */
  readonly args: readonly unknown[];
  /** The keyword-only arguments, by name. */
  readonly kwargs: object;
  /** The result, in the module's own structure. */
  readonly output: unknown;
  /** What a step returns, for a program of forward and backward. */
  readonly step?: object;
}

/** A tensor of one dtype, as a program returns it. `Shape` documents its sizes: a symbolic one is a string. */
export type TensorOutput<D extends DType, _Shape extends readonly (number | string)[] = readonly number[]> = Tensor<D>;

/** What a program takes for a tensor: a tensor of that dtype, or a typed array if no size is symbolic. */
export type TensorInput<D extends DType, Shape extends readonly (number | string)[]> =
  | TensorOutput<D, Shape>
  | (Shape extends readonly number[] ? DataOf<D> : never);

/** A call of a typed model: positional arguments with the keyword-only ones, or all arguments by name. */
export type TypedCall<Types extends ModelTypes> =
  | (Record<never, unknown> extends Types["kwargs"]
      ? { readonly args: Types["args"]; readonly kwargs?: Types["kwargs"] }
      : { readonly args: Types["args"]; readonly kwargs: Types["kwargs"] })
  | { readonly args?: readonly []; readonly kwargs: Types["parameters"] };

/** The arguments of a typed `forward`: in order, where no keyword-only argument is required, or one object of all. */
export type TypedArguments<Types extends ModelTypes> =
  | (Record<never, unknown> extends Types["kwargs"] ? Types["args"] : never)
  | readonly [arguments: Types["parameters"]];

type Untyped = "forward" | "step" | "run" | "forwardSync" | "runSync" | "trace" | "warmup" | "profile" | "leavesOf";

/** A {@link Model} whose calls have the types that `pt2 types` wrote. */
export interface TypedModel<Types extends ModelTypes> extends Omit<Model, Untyped> {
  /** Calls the program, with arguments in order or with one object of all of them. */
  forward(...inputs: TypedArguments<Types>): Promise<Types["output"]>;
  /** Like `step` of {@link Model}; there for a program of forward and backward. */
  readonly step?: (...inputs: TypedArguments<Types>) => Promise<NonNullable<Types["step"]>>;
  /** Like `forward`, with separate positional and keyword arguments, and with options. */
  run(call: TypedCall<Types>, options?: RunOptions): Promise<Types["output"]>;
  /** Like `forward` on the calling thread. Absent when the backend cannot compute there. */
  readonly forwardSync?: (...inputs: TypedArguments<Types>) => Types["output"];
  /** Like `run` on the calling thread. */
  readonly runSync?: (call: TypedCall<Types>) => Types["output"];
  /** Like `trace` of {@link Model}. */
  readonly trace?: (call: TypedCall<Types>, observe: TraceObserver, options?: RunOptions) => Promise<Types["output"]>;
  /** Returns the leaves of a call in flattened order, for `runFlat`. */
  leavesOf(call: TypedCall<Types>): readonly unknown[];
  /** Like `warmup` of {@link Model}. */
  warmup(call: TypedCall<Types>, options?: WarmupOptions): Promise<void>;
  /** Runs a call with a time for each step. */
  profile(call: TypedCall<Types>, options?: RunOptions): Promise<Profile>;
}
