import { contiguousStrides, DTYPES, type DType, memoryStorage, numel, type WeightTensor } from "@pt2/format";
import type { InputSpec, OutputSpec, Program, SymExpr, SymInt, TensorType, ValueType } from "@pt2/graph";
import { simplify } from "@pt2/graph/passes";
import { generateError } from "./generate-errors.ts";
import type { LanguageProgram } from "./language-program.ts";
import type { Role } from "./roles.ts";

/** A program that keeps what it knows of a text, and what it begins with. */
export interface KeepingProgram extends LanguageProgram {
  /** The caches before the first text, by the names of the buffers that they are now. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
}

/**
 * Makes buffers of the keys and values that a call takes and writes to, so that they stay where the model computes: a run
 * then writes the rows of the new tokens and nothing else. Returns null where a call must begin with caches of zeros, or
 * where they grow: what lies behind the text in keys and values is masked, what lies in other states is not.
 *
 * `capacity` is the number of tokens that are kept, for a program that leaves it open.
 */
export function keepCaches(given: LanguageProgram, capacity: number | null): KeepingProgram | null {
  const { program, roles } = given;
  const caches = roles.filter((role) => role.kind === "cache");
  const kept = caches.filter(({ name, shape }) => /\.(keys|values)$/.test(name) && shape.length === 4);
  const counters = caches.filter(({ name, shape }) => /\.cumulative_length$/.test(name) && shape.length === 0);
  const isWritten = counters.length > 0 && kept.length + counters.length === caches.length;
  if (!isWritten || given.queries !== null || !roles.some(({ kind }) => kind === "mask")) return null;
  if (roles.some(({ kind }) => kind === "encoded")) return null;

  const sizes = new Map<string, number>();
  const fixed = [1, null, capacity];
  for (const { value } of kept) {
    const { shape } = program.graph.values.get(value) as TensorType;
    for (const [dim, size] of shape.entries()) {
      if (typeof size !== "object") continue;
      // Sequences and tokens may be left open, a number of heads may not.
      if (size.kind !== "symbol" || fixed[dim] == null) return null;
      sizes.set(size.name, fixed[dim]);
    }
  }
  const targets = new Map(kept.map(({ name, value }) => [value, name] as const));
  const values = new Map(Array.from(program.graph.values, ([name, type]) => [name, withSizes(type, sizes)] as const));
  const inputs = program.inputs.map((spec): InputSpec => {
    if (spec.kind !== "user_input" || spec.value === null) return spec;
    const target = targets.get(spec.value);
    return target === undefined ? spec : { kind: "buffer", value: spec.value, target, persistent: false };
  });
  const outputs = program.outputs.map((spec): OutputSpec => {
    const target = spec.kind === "user_input_mutation" ? targets.get(spec.target) : undefined;
    return target === undefined ? spec : { kind: "buffer_mutation", target };
  });
  const ranges = new Map(Array.from(program.ranges).filter(([text]) => !sizes.has(text)));
  return {
    ...withoutReturned({ ...program, graph: { ...program.graph, values }, inputs, outputs, ranges }, given),
    roles: roles.flatMap((role): readonly Role[] => {
      if (role.kind === "mask")
        return [{ ...role, shape: role.shape.map((size, i) => (i === 3 ? (size ?? capacity) : size)) }];
      if (role.kind !== "cache") return [role];
      return kept.includes(role) ? [] : [{ kind: "length", dtype: role.dtype }];
    }),
    weights: new Map(
      kept.map(({ name, value }) => {
        const { dtype, shape } = values.get(value) as TensorType;
        return [name, emptyBuffer(name, dtype, shape as readonly number[])] as const;
      }),
    ),
  };
}

/** The program whose caches stay in it: it returns the logits alone. */
function withoutReturned(
  program: Program,
  { queries, least, returned }: LanguageProgram,
): Omit<KeepingProgram, "roles" | "weights"> {
  const kept = program.outputs.length - returned.length;
  return {
    program: {
      ...program,
      graph: { ...program.graph, outputs: program.graph.outputs.slice(0, kept) },
      outputs: program.outputs.slice(0, kept),
      inSpec: null,
    },
    returned: [],
    queries,
    least,
  };
}

function withSizes(type: ValueType, sizes: ReadonlyMap<string, number>): ValueType {
  if (type.kind === "symint" && type.value !== null) return { kind: "symint", value: withSize(type.value, sizes) };
  if (type.kind !== "tensor") return type;
  const replaced = (size: SymInt): SymInt => withSize(size, sizes);
  return {
    ...type,
    shape: type.shape.map(replaced),
    strides: type.strides.map(replaced),
    storageOffset: replaced(type.storageOffset),
  };
}

function withSize(size: SymInt, sizes: ReadonlyMap<string, number>): SymInt {
  if (typeof size !== "object") return size;
  const replaced = (expr: SymExpr): SymExpr => {
    if (expr.kind === "call") return { ...expr, args: expr.args.map(replaced) };
    const value = expr.kind === "symbol" ? sizes.get(expr.name) : undefined;
    return value === undefined ? expr : { kind: "number", value };
  };
  const made = simplify(replaced(size));
  return made.kind === "number" ? made.value : made;
}

/** A buffer of zeros, which takes no memory before it is read. */
function emptyBuffer(name: string, dtype: DType, shape: readonly number[]): WeightTensor {
  const nbytes = numel(shape) * DTYPES[dtype].itemsize;
  return {
    name,
    kind: "buffer",
    dtype,
    shape,
    strides: contiguousStrides(shape),
    storageOffset: 0,
    storage: memoryStorage(name, nbytes, () => zerosFor(name, nbytes)),
    requiresGrad: false,
    device: { type: "cpu", index: null },
  };
}

function zerosFor(cache: string, nbytes: number): Uint8Array {
  try {
    return new Uint8Array(nbytes);
  } catch (cause) {
    throw generateError("generate.length", {
      what: `There is no memory for a cache of ${nbytes} bytes`,
      where: cache,
      advice: "give a smaller `maxCacheLen`",
      cause,
    });
  }
}
