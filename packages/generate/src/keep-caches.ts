import { contiguousStrides, DTYPES, type DType, numel, type WeightTensor } from "@pt2/format";
import type { InputSpec, Program, SymExpr, SymInt, TensorType, ValueType } from "@pt2/graph";
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

  const inputs = program.inputs.filter((spec) => spec.kind === "user_input" || spec.kind === "constant_input");
  const sizes = new Map<string, number>();
  const targets = new Map<InputSpec, string>();
  for (const [i, role] of roles.entries()) {
    const spec = inputs[i]!;
    if (role.kind !== "cache" || !kept.includes(role) || spec.kind !== "user_input" || spec.value === null) continue;
    const type = program.graph.values.get(spec.value) as TensorType;
    const fixed = [1, null, capacity];
    for (const [dim, size] of type.shape.entries()) {
      if (typeof size !== "object") continue;
      // Sequences and tokens may be left open, a number of heads may not.
      if (size.kind !== "symbol" || fixed[dim] == null) return null;
      sizes.set(size.name, fixed[dim]);
    }
    targets.set(spec, role.name);
  }
  const values = new Map(Array.from(program.graph.values, ([name, type]) => [name, withSizes(type, sizes)] as const));
  const specs = program.inputs.map((spec): InputSpec => {
    const target = targets.get(spec);
    if (target === undefined || spec.kind !== "user_input" || spec.value === null) return spec;
    return { kind: "buffer", value: spec.value, target, persistent: false };
  });
  const targetOf = new Map(
    Array.from(targets, ([spec, target]) => [(spec as { value: string }).value, target] as const),
  );
  const outputs = program.outputs.map((spec) =>
    spec.kind === "user_input_mutation" && targetOf.has(spec.target)
      ? ({ kind: "buffer_mutation", target: targetOf.get(spec.target)! } as const)
      : spec,
  );
  const ranges = new Map(Array.from(program.ranges).filter(([text]) => !sizes.has(text)));
  return {
    ...withoutReturned({ ...program, graph: { ...program.graph, values }, inputs: specs, outputs, ranges }, given),
    roles: roles.flatMap((role): readonly Role[] => {
      if (role.kind === "mask")
        return [{ ...role, shape: role.shape.map((size, i) => (i === 3 ? (size ?? capacity) : size)) }];
      if (role.kind !== "cache") return [role];
      return kept.includes(role) ? [] : [{ kind: "length", dtype: role.dtype }];
    }),
    weights: new Map(
      Array.from(targetOf, ([value, target]) => {
        const { dtype, shape } = values.get(value) as TensorType;
        return [target, emptyBuffer(target, dtype, shape as readonly number[])] as const;
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
    storage: {
      id: name,
      entry: name,
      nbytes,
      async read({ into, signal } = {}) {
        signal?.throwIfAborted();
        return into?.subarray(0, nbytes).fill(0) ?? zerosFor(name, nbytes);
      },
    },
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
