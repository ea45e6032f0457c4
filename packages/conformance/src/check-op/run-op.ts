import type { Backend, HostTensor, Value } from "@pt2/backend";
import { Tensor } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";
import type { Arg, Node } from "@pt2/graph";
import { type ArgValue, isTensorMeta, type OpRecord, type OpRegistry } from "@pt2/registry";
import { type CaseProgram, caseProgram } from "../ops/case-program.ts";
import type { CaseResult, CaseTensor, OpCase } from "../ops/case-types.ts";
import { type Layout, type OpSample, sampleCase } from "./op-sample.ts";

/** What a backend makes of a call. */
export type Outcome =
  | { readonly kind: "results"; readonly values: readonly OutputValue[]; readonly runs: OpRuns }
  | { readonly kind: "refused"; readonly error: unknown; readonly coded: boolean };

/** A result on the host. */
export type OutputValue = HostTensor | Exclude<Value, Tensor>;

/** What two runs of one executable showed, beside the results of the first. */
export interface OpRuns {
  /** The first result in which the second run differs; null if none does. */
  readonly differs: number | null;
  /** The tensors of the caller that a run has changed, by their position. */
  readonly changed: readonly number[];
}

/** A call as a program of one node. */
export interface OpCall {
  readonly record: OpRecord;
  readonly registry: OpRegistry;
  readonly sample: OpSample;
  readonly layout?: Layout | undefined;
  /** The dtypes and shapes that the program declares for the results. */
  readonly results: readonly ArgValue[];
  /** The arguments that are copied before the call, and returned after it. */
  readonly returned?: readonly string[] | undefined;
  /** Nodes that follow the call. */
  readonly after?: (copyOf: (arg: string) => Arg) => readonly Node[];
}

/** Compiles a call and runs it twice. */
export async function runOp(backend: Backend, call: OpCall): Promise<Outcome> {
  try {
    const { program, weights, inputs } = programOf(backend, call);
    const executable = await backend.compile({ program, weights, registry: call.registry });
    try {
      const before = await Promise.all(inputs.map(bytesOf));
      const first = await Promise.all((await executable.run(inputs)).map(onHost));
      const second = await Promise.all((await executable.run(inputs)).map(onHost));
      const after = await Promise.all(inputs.map(bytesOf));
      const differs = first.findIndex((value, i) => !same(value, second[i]!));
      const changed = before.flatMap((bytes, i) => (sameBytes(bytes, after[i]!) ? [] : [i]));
      return { kind: "results", values: first, runs: { differs: differs < 0 ? null : differs, changed } };
    } finally {
      await executable.dispose();
    }
  } catch (error) {
    return { kind: "refused", error, coded: error instanceof Pt2Error };
  }
}

/** Compiles a call and runs it for samples that differ only in their elements. Returns the tensors of each run. */
export async function runMany(
  backend: Backend,
  call: OpCall,
  samples: readonly OpSample[],
): Promise<readonly (readonly HostTensor[])[]> {
  const { program, weights } = programOf(backend, call);
  const executable = await backend.compile({ program, weights, registry: call.registry });
  try {
    const found: (readonly HostTensor[])[] = [];
    for (const sample of samples) {
      const values = await Promise.all(
        (await executable.run(programOf(backend, { ...call, sample }).inputs)).map(onHost),
      );
      found.push(values.filter((value) => value instanceof Tensor));
    }
    return found;
  } finally {
    await executable.dispose();
  }
}

/** Makes the program of a call. */
function programOf(backend: Backend, call: OpCall): CaseProgram {
  const { record, registry, sample, layout, results, returned = [], after } = call;
  const { args, tensors } = sampleCase(record, sample, layout);
  const copies = returned.flatMap((name) => {
    const arg = args[name];
    const isTensor = typeof arg === "object" && arg !== null && "tensor" in arg;
    return isTensor ? [[name, tensors[arg.tensor]!] as const] : [];
  });
  const mutated = Object.fromEntries(copies);
  const opCase: OpCase = { op: record.name, name: "", args, tensors, expected: results.map(caseResult), mutated };
  return caseProgram(opCase, "inputs", registry, backend.capabilities, after);
}

function caseResult(meta: ArgValue): CaseResult {
  if (isTensorMeta(meta)) return { dtype: meta.dtype, shape: meta.shape };
  if (Array.isArray(meta)) return (meta as readonly ArgValue[]).map((item) => caseResult(item) as CaseTensor);
  if (typeof meta === "object" && meta !== null && "float" in meta) return { float: meta.float };
  return typeof meta === "bigint" ? { int: String(meta) } : (meta as CaseResult);
}

async function onHost(value: Value): Promise<OutputValue> {
  return value instanceof Tensor ? await value.cpu() : value;
}

async function bytesOf(value: Value): Promise<Uint8Array> {
  return value instanceof Tensor ? Uint8Array.from(await value.readBytes()) : new Uint8Array();
}

function same(a: OutputValue, b: OutputValue): boolean {
  if (!(a instanceof Tensor) || !(b instanceof Tensor)) return Object.is(a, b);
  return sameBytes((a as HostTensor).bytes, (b as HostTensor).bytes);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
