import type { Tensor } from "@pt2/backend";
import {
  type ArgsOf,
  type ArgValue,
  type Builder,
  createRegistry,
  defineOp,
  isTensorMeta,
  type OpRecord,
  type OpSet,
  type TensorMeta,
  type TypedOp,
} from "@pt2/registry";
import { atenOnDemand } from "@pt2/registry/on-demand";
import type { Aten } from "./aten.gen.ts";
import { waits } from "./eager-calls.ts";
import { eagerError } from "./eager-errors.ts";
import { isTensor } from "./given.ts";
import { type Caller, type Namespace, namespaces } from "./namespaces.ts";
import { TracedTensor } from "./traced-tensor.ts";

/** The resolved arguments of a forward rule, by name. */
export type ForwardArgs<S extends string> = { readonly [Name in keyof ArgsOf<S>]: WithTensors<ArgsOf<S>[Name]> };

type WithTensors<Value> = Value extends TensorMeta
  ? Tensor
  : Value extends readonly (infer Item)[]
    ? readonly WithTensors<Item>[]
    : Value;

/** The ops that a forward rule calls, as eager code does. */
export interface ForwardOps {
  readonly aten: Aten;
  readonly ops: Readonly<Record<string, Namespace>>;
}

/**
 * Defines an op by eager code, which is traced whenever a program with the op is planned: the ops that it calls are the
 * op's decomposition, so that the backend plans and fuses them. Sizes are concrete, so the code may branch on them; it
 * may not read elements. `sets` are the op sets, besides PyTorch's ops, that it calls.
 */
export async function forwardOp<const S extends string>(
  schema: S,
  forward: (args: ForwardArgs<S>, ops: ForwardOps) => Tensor | readonly (Tensor | readonly Tensor[])[],
  sets: readonly OpSet[] = [],
): Promise<OpRecord & TypedOp<S>> {
  const registry = createRegistry({ sets: [...atenOnDemand, ...sets] });
  await registry.load("all");
  const tracer = new Tracer();
  const ops = namespaces(registry, tracer);
  const given = { aten: ops.aten as unknown as Aten, ops };
  const decompose = (args: Readonly<Record<string, ArgValue>>, b: Builder): ArgValue => {
    const traced = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, tracedValue(value)]));
    return metaOf(
      tracer.within(b, () => forward(traced as unknown as ForwardArgs<S>, given)),
      schema,
    );
  };
  return defineOp(schema as string, { decompose }) as OpRecord & TypedOp<S>;
}

/** Calls ops through the builder of the rule that is being traced. */
class Tracer implements Caller {
  #builder: Builder | null = null;

  /** Runs a rule, which may call ops that have such rules themselves. */
  within<T>(builder: Builder, rule: () => T): T {
    const outer = this.#builder;
    this.#builder = builder;
    try {
      return rule();
    } finally {
      this.#builder = outer;
    }
  }

  call(record: OpRecord, given: Readonly<Record<string, unknown>>): unknown {
    if (this.#builder === null) throw refusal(record.name, "was called after the rule had returned");
    if (waits(record)) throw refusal(record.name, "has results that depend on data");
    const args = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, metaOf(value, record.name)]));
    const results = this.#builder.call(record.name, args).map(tracedValue);
    return results.length === 1 ? results[0] : results;
  }
}

function tracedValue(value: ArgValue): unknown {
  if (isTensorMeta(value)) return value.wrapped ?? new TracedTensor(value);
  return Array.isArray(value) ? value.map(tracedValue) : value;
}

function metaOf(value: unknown, op: string): ArgValue {
  if (value instanceof TracedTensor) return value.meta;
  if (Array.isArray(value)) return value.map((item) => metaOf(item, op));
  if (isTensor(value)) throw refusal(op, "got a tensor with elements of its own: pass it as an argument of the op");
  if (value instanceof Promise) {
    value.catch(() => {});
    throw refusal(op, "has a rule that is asynchronous");
  }
  return value as ArgValue;
}

function refusal(op: string, what: string): Error {
  return eagerError("eager.traced", {
    what: `${op} ${what}, but a forward rule is traced before there is data`,
    advice: "write a handler for code that reads elements",
    details: { op },
  });
}
