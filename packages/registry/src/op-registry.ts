import { type OpName, parseOpName, splitOpName } from "@pt2/graph";
import { effectsOf, type OpEffects } from "./effects.ts";
import type { OpHandler } from "./handler.ts";
import { functionalName, inPlaceRecord } from "./in-place.ts";
import type { OpRecord } from "./op.ts";
import type { OpSet } from "./op-set.ts";
import { registryError } from "./registry-errors.ts";

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

/** What ops mean, and who was asked to run them. Immutable. */
export interface OpRegistry {
  /**
   * The record of exactly this overload. In-place ops are derived from their functional twins. Names are taken in
   * every spelling that `parseOpName` of `@pt2/graph` reads.
   */
  resolve(op: string): OpRecord | undefined;
  /** The handler that takes this op: one that names it before one that takes every overload, `ns::op.*`. */
  handlerOf(op: string): OpHandler | undefined;
  /** What the op writes to and aliases; undefined when it has no record. */
  effectsOf(op: string): OpEffects | undefined;
  /** Kernels that op sets bring for a backend, those of later sets first. */
  kernelsFor(backend: string): readonly unknown[];
  /** Every op, sorted by name; in-place twins are not listed. */
  list(): readonly RegistryEntry[];
}

/** Builds a registry. Throws `registry.duplicate` for a second claim on an op that does not say `replace`. */
export function createRegistry({ sets, handlers = [] }: RegistryParts): OpRegistry {
  const { records, sources } = recordsOf(sets);
  const byOp = handlersOf(handlers);
  const irregular = new Map(
    [...records.values()].flatMap((record) => (record.inPlace ?? []).map((op) => [op, record] as const)),
  );
  const derived = new Map<OpName, OpRecord | undefined>();
  const inPlace = (op: OpName): OpRecord | undefined => {
    if (derived.has(op)) return derived.get(op);
    const twin = irregular.get(op) ?? records.get(functionalName(op) ?? "");
    const record = twin && inPlaceRecord(op, twin);
    derived.set(op, record);
    return record;
  };
  const resolve = (text: string): OpRecord | undefined => {
    const known = records.get(text);
    if (known !== undefined) return known;
    const op = parseOpName(text);
    return records.get(op) ?? inPlace(op);
  };
  return {
    resolve,
    handlerOf(text) {
      if (byOp.size === 0) return undefined;
      const op = parseOpName(text);
      return byOp.get(op) ?? byOp.get(everyOverload(op));
    },
    effectsOf(op) {
      const record = resolve(op);
      return record && effectsOf(record);
    },
    kernelsFor: (backend) => [...sets].reverse().flatMap((set) => set.kernels?.[backend] ?? []),
    list: () =>
      [...new Set([...records.keys(), ...byOp.keys()])]
        .sort()
        .map((op) => ({ op, source: sources.get(op) ?? "handler", handled: byOp.has(op) })),
  };
}

function recordsOf(sets: readonly OpSet[]): {
  readonly records: ReadonlyMap<OpName, OpRecord>;
  readonly sources: ReadonlyMap<OpName, string>;
} {
  const records = new Map<OpName, OpRecord>();
  const sources = new Map<OpName, string>();
  for (const set of sets) {
    for (const record of set.ops) {
      const earlier = sources.get(record.name);
      if (earlier !== undefined && (set.replace !== true || earlier === set.name)) {
        throw duplicate(record.name, `op set "${earlier}"`, `op set "${set.name}"`);
      }
      records.set(record.name, record);
      sources.set(record.name, set.name);
    }
  }
  return { records, sources };
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

function duplicate(op: OpName, first: string, second: string): Error {
  return registryError("registry.duplicate", {
    what: `${op} is given twice: by ${first} and by ${second}`,
    advice: "remove one of them, or let the later one say `replace: true`",
    details: { op },
  });
}
