import { type OpName, parseOpName, splitOpName } from "@pt2/graph";
import { declaredEffects, effectsOf, effectsOfHandled, effectsOfOwn, type OpEffects } from "./effects.ts";
import type { OpHandler } from "./handler.ts";
import type { OpRecord } from "./op.ts";
import { duplicate, OpRecords } from "./op-records.ts";
import type { OpSet } from "./op-set.ts";
import { PackageKernels } from "./package-kernels.ts";

export { resolveArgs } from "./resolve-args.ts";

/** What a registry is made of. Nothing else can be in it. */
export interface RegistryParts {
  readonly sets: readonly OpSet[];
  readonly handlers?: readonly OpHandler[];
}

/** One op that a registry knows. */
export interface RegistryEntry {
  readonly op: OpName;
  /** Name of the op set it comes from; `handler` when only a handler takes it. */
  readonly source: string;
  /** Whether a handler takes it. */
  readonly handled: boolean;
}

/** What ops mean, and who was asked to run them. What it answers never changes. */
export interface OpRegistry {
  /**
   * The record of exactly this overload. Ops in place or with `out` are derived from their functional twins. Names are
   * taken in every spelling that `parseOpName` of `@pt2/graph` reads. Throws `NotLoaded` for one that a set may have in a part
   * that is not loaded yet; `loading` of `@pt2/registry/on-demand` answers that.
   */
  resolve(op: string): OpRecord | undefined;
  /** Loads what sets have in parts for these ops, all at once. Rejects with `registry.duplicate` as `createRegistry`. */
  load(ops: Iterable<string>): Promise<void>;
  /** The handler that takes this op: one that names it before one that takes every overload, `ns::op.*`. */
  handlerOf(op: string): OpHandler | undefined;
  /**
   * Whether a handler takes the op, or a set with `replace` gave it another meaning. Nobody may then count on what is
   * known of an op of that name, nor run it by a kernel of a backend's own.
   */
  isClaimed(op: string): boolean;
  /** Whether a set with `replace` gave the op another meaning. */
  isReplaced(op: string): boolean;
  /** What the op writes to and aliases; undefined when nobody knows it. */
  effectsOf(op: string): OpEffects | undefined;
  /** Kernels that op sets bring for a backend, those of later sets first. */
  kernelsFor(backend: string): readonly unknown[];
  /** Whether an op set brings a kernel of the op for a backend. */
  hasKernel(op: string, backend: string): boolean;
  /** Every op that is loaded, sorted by name; in-place twins are not listed. */
  list(): readonly RegistryEntry[];
}

/** Builds a registry. Throws `registry.duplicate` for a second claim on an op that does not say `replace`. */
export function createRegistry({ sets, handlers = [] }: RegistryParts): OpRegistry {
  const records = new OpRecords(sets);
  const byOp = handlersOf(handlers);
  const resolve = (op: string): OpRecord | undefined => records.resolve(op);
  const kernels = new PackageKernels(sets);
  const handlerOf = (text: string): OpHandler | undefined => {
    if (byOp.size === 0) return undefined;
    const op = parseOpName(text);
    return byOp.get(op) ?? byOp.get(everyOverload(op));
  };
  // Most programs come with PyTorch's ops alone.
  const replaces = sets.some(({ replace }) => replace === true);
  const isReplaced = (op: string): boolean => replaces && records.isReplaced(parseOpName(op));
  return {
    resolve,
    load: (ops) => records.load(ops),
    handlerOf,
    isClaimed: (op) => handlerOf(op) !== undefined || isReplaced(op),
    isReplaced,
    effectsOf(op) {
      const record = resolve(op);
      const handler = handlerOf(op);
      if (handler !== undefined) return effectsOfHandled(record, handler);
      if (record === undefined) return undefined;
      const replaced = isReplaced(op);
      const effects = replaced ? declaredEffects(record) : effectsOf(record);
      const own = records.hasTwin(record) ? effects : effectsOfOwn(record, effects);
      return replaced ? { ...own, claimed: true } : own;
    },
    kernelsFor: (backend) => kernels.of(backend),
    hasKernel: (op, backend) => kernels.has(op, backend),
    list: () =>
      [...new Set([...records.names, ...byOp.keys()])]
        .sort()
        .map((op) => ({ op, source: records.sourceOf(op) ?? "handler", handled: byOp.has(op) })),
  };
}

function handlersOf(handlers: readonly OpHandler[]): ReadonlyMap<OpName, OpHandler> {
  const byOp = new Map<OpName, OpHandler>();
  handlers.forEach((handler, at) => {
    for (const op of handler.ops.map(parseOpName)) {
      const earlier = byOp.get(op);
      if (earlier !== undefined && (handler.replace !== true || earlier === handler)) {
        throw duplicate(op, `handler ${handlers.indexOf(earlier)}`, `handler ${at}`);
      }
      byOp.set(op, handler);
    }
  });
  return byOp;
}

function everyOverload(name: OpName): OpName {
  const { namespace, op } = splitOpName(name);
  return `${namespace}::${op}.*`;
}
