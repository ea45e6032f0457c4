import type { OpName } from "@pt2/graph";
import { type Builder, builderOf, type EmitCall } from "../builder.ts";
import type { ArgValue, TensorMeta } from "../tensor-meta.ts";

type Args = Readonly<Record<string, ArgValue>>;

/** Records the calls that a rule makes on a builder, to replay them on another one. */
export class Recipe {
  readonly builder: Builder;
  readonly #calls: { readonly op: OpName; readonly args: Args; readonly results: readonly ArgValue[] }[] = [];
  /** The tensors that the rule was given, which are the same in every replay. */
  readonly #given: ReadonlySet<ArgValue>;

  /** `infer` returns the results of a call to the rule, as metas. */
  constructor(given: Args, infer: EmitCall) {
    this.#given = new Set(Object.values(given).flatMap(leavesOf));
    this.builder = builderOf((op, args) => {
      const results = infer(op, args);
      this.#calls.push({ op, args, results });
      return results;
    });
  }

  /** Makes the calls with `emit`, and returns the rule's result with the tensors of these calls. */
  replay<Answer extends ArgValue | null | undefined>(answer: Answer, emit: EmitCall): Answer {
    const made = new Map<ArgValue, ArgValue>();
    const real = (value: ArgValue): ArgValue =>
      Array.isArray(value) ? (value as readonly ArgValue[]).map(real) : (made.get(value) ?? value);
    for (const { op, args, results } of this.#calls) {
      const emitted = emit(op, Object.fromEntries(Object.entries(args).map(([name, value]) => [name, real(value)])));
      const leaves = emitted.flatMap(leavesOf);
      for (const [i, leaf] of results.flatMap(leavesOf).entries()) {
        if (isObject(leaf) && !this.#given.has(leaf) && !made.has(leaf)) made.set(leaf, leaves[i]!);
      }
    }
    return (answer === undefined ? undefined : real(answer as ArgValue)) as Answer;
  }
}

function leavesOf(value: ArgValue): readonly ArgValue[] {
  return Array.isArray(value) ? (value as readonly ArgValue[]).flatMap(leavesOf) : [value];
}

function isObject(value: ArgValue): value is TensorMeta {
  return typeof value === "object" && value !== null;
}
