import { elementsOf, type HostTensor } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { DTYPES, Pt2Error } from "@pt2/format";
import type { Node } from "@pt2/graph";
import {
  type ArgValue,
  argValue,
  Emitter,
  isTensorMeta,
  type OpRecord,
  type OpRegistry,
  type TensorMeta,
  tensorsIn,
} from "@pt2/registry";
import { type ReferenceData, referenceEmitter, runReference } from "@pt2/registry/aten";
import { loading } from "@pt2/registry/on-demand";
import { convert } from "@pt2/registry/scalar";
import { argOf } from "../ops/case-args.ts";
import { type OpSample, sampleCase, tensorsOf } from "./op-sample.ts";
import { tensorOf } from "./variants.ts";

/** The arguments of a call as rules see them. */
export interface MetaCall {
  readonly args: Readonly<Record<string, ArgValue>>;
  /** The metas of the sample's tensors, in the order of `tensorsOf`. */
  readonly metas: readonly TensorMeta[];
}

/** The node that errors name. */
export const nodeOf = ({ name }: Pick<OpRecord, "name">): Node => ({
  name: "call",
  op: name,
  args: [],
  outputs: [],
  origin: {},
});

/** Returns the arguments of a sample without its elements. */
export function metaCall(record: OpRecord, sample: OpSample): MetaCall {
  const { args, tensors } = sampleCase(record, sample);
  const metas = tensors.map(({ dtype, shape }, i) => ({ dtype, shape, name: `x${i}` }));
  const env = new Map(metas.map((meta) => [meta.name, meta]));
  const node = nodeOf(record);
  const values = Object.entries(args).map(([name, arg]) => [
    name,
    argValue(
      argOf(arg, (i) => `x${i}`),
      env,
      node,
    ),
  ]);
  return { args: Object.fromEntries(values), metas };
}

/** Returns the results that the rules of an op promise for a call; throws what they throw. */
export async function inferred(
  record: OpRecord,
  registry: OpRegistry,
  { args }: MetaCall,
): Promise<readonly ArgValue[]> {
  const emitter = new Emitter(registry, { name: "inference", isNative: () => true });
  return await loading(() => emitter.emit(record.name, args, nodeOf(record)));
}

/**
 * Runs the rules of an op by their definition, in the reference interpreter. Returns null if they end in an op or a
 * dtype that the interpreter does not have; throws what the rules throw.
 */
export async function interpreted(
  record: OpRecord,
  registry: OpRegistry,
  sample: OpSample,
): Promise<ReferenceRun | null> {
  const call = metaCall(record, sample);
  const isComplex = ({ dtype }: TensorMeta): boolean => DTYPES[dtype].kind === "complex";
  if (call.metas.some(isComplex) || record.dynamic !== undefined) return null;
  const emitter = referenceEmitter(registry);
  let results: readonly ArgValue[];
  try {
    results = await loading(() => emitter.emit(record.name, call.args, nodeOf(record)));
  } catch (error) {
    if (error instanceof Pt2Error && error.code === "registry.unsupported-op") return null;
    throw error;
  }
  const run = new ReferenceRun(emitter, results, call.metas);
  return run.compute(sample) ? run : null;
}

/** A call that the reference interpreter has lowered, and can run with other elements. */
export class ReferenceRun {
  readonly results: readonly ArgValue[];
  readonly #emitter: Emitter;
  readonly #metas: readonly TensorMeta[];
  #data: ReferenceData = new Map();

  constructor(emitter: Emitter, results: readonly ArgValue[], metas: readonly TensorMeta[]) {
    this.#emitter = emitter;
    this.results = results;
    this.#metas = metas;
  }

  /** Computes the results for a sample; returns false if the interpreter cannot. */
  compute(sample: OpSample): boolean {
    this.#data = new Map(tensorsOf(sample).map((tensor, i) => [this.#metas[i]!, elementsIn(tensor)]));
    try {
      for (const call of this.#emitter.calls) runReference(call, this.#data);
      return true;
    } catch (error) {
      if (error instanceof Pt2Error) throw error;
      return false;
    }
  }

  /** Returns the computed tensors. */
  tensors(): readonly HostTensor[] {
    return this.results.flatMap(tensorsIn).map((meta) => tensorOf(meta.dtype, meta.shape, this.#data.get(meta) ?? []));
  }
}

/** The dtypes and shapes of results, for messages and for comparing. */
export function metasText(results: readonly ArgValue[]): string {
  const of = (value: ArgValue): string => {
    if (isTensorMeta(value)) return `${value.dtype}[${value.shape.join(", ")}]`;
    return Array.isArray(value) ? `[${(value as readonly ArgValue[]).map(of).join(", ")}]` : JSON.stringify(value);
  };
  return results.map(of).join(", ");
}

function elementsIn({ dtype, shape, data }: HostTensor): readonly (number | bigint | boolean)[] {
  const at = elementsOf(dtype as DType, data);
  const count = shape.reduce((product, size) => product * size, 1);
  return Array.from({ length: count }, (_, i) => convert(dtype, at(i) as number | bigint));
}
