import { HostTensor, Tensor } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { OpRecord, SchemaType } from "@pt2/registry";
import type { CaseArg, CaseTensor } from "../ops/case-types.ts";
import { positions } from "../scalar/reference.ts";

/** One argument of a sample: a tensor, a number, a string (of a dtype too), or a list of them. */
export type SampleValue =
  | Tensor
  | number
  | bigint
  | boolean
  | string
  | null
  | { readonly float: number }
  | { readonly re: number; readonly im: number }
  | readonly SampleValue[];

/** The arguments of one call, by their names in the schema. Missing ones have the schema's default. */
export type OpSample = Readonly<Record<string, SampleValue>>;

/** How the elements of a tensor lie in memory; row-major where it is absent. */
export interface Layout {
  readonly name: "transposed" | "strided" | "expanded";
  /** Returns the strides and the offset for a shape. */
  readonly geometry: (shape: readonly number[]) => { readonly strides: readonly number[]; readonly offset: number };
}

/** The arguments of a sample as a case has them. */
export interface SampleCase {
  readonly args: Readonly<Record<string, CaseArg>>;
  readonly tensors: readonly CaseTensor[];
}

/** Copies the tensors of a sample to the host, where the check changes and compares them. */
export async function onHost(sample: OpSample): Promise<OpSample> {
  const copied = async (value: SampleValue): Promise<SampleValue> => {
    if (value instanceof Tensor) return await value.cpu();
    return Array.isArray(value) ? await Promise.all((value as readonly SampleValue[]).map(copied)) : value;
  };
  const entries = Object.entries(sample).map(async ([name, value]) => [name, await copied(value)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** The tensors of a sample, in the order of its arguments. */
export function tensorsOf(sample: OpSample): readonly HostTensor[] {
  const of = (value: SampleValue): readonly HostTensor[] =>
    value instanceof HostTensor ? [value] : Array.isArray(value) ? (value as readonly SampleValue[]).flatMap(of) : [];
  return Object.values(sample).flatMap(of);
}

/** The same call with other tensors; `change` gets each one and its position among {@link tensorsOf}. */
export function withTensors(sample: OpSample, change: (tensor: HostTensor, index: number) => HostTensor): OpSample {
  let count = 0;
  const changed = (value: SampleValue): SampleValue => {
    if (value instanceof HostTensor) return change(value, count++);
    return Array.isArray(value) ? (value as readonly SampleValue[]).map(changed) : value;
  };
  return Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, changed(value)]));
}

/** Returns what does not fit the schema, or null. */
export function sampleProblem({ schema }: OpRecord, sample: OpSample): string | null {
  for (const name of Object.keys(sample)) {
    if (schema.args.some((arg) => arg.name === name)) continue;
    return `has \`${name}\`, and the schema has ${schema.args.map((arg) => `\`${arg.name}\``).join(", ") || "no arguments"}`;
  }
  for (const { name, type, default: fallback } of schema.args) {
    const value = sample[name];
    if (value === undefined) {
      if (fallback === undefined) return `lacks \`${name}\``;
    } else if (caseArg(type, value, () => 0) === undefined) {
      return `has ${shown(value)} for \`${name}\`, which is ${typeText(type)}`;
    }
  }
  return null;
}

/** Makes the arguments of a case from a sample that fits the schema. */
export function sampleCase({ schema }: OpRecord, sample: OpSample, layout?: Layout): SampleCase {
  const tensors: CaseTensor[] = [];
  const add = (tensor: HostTensor): number => tensors.push(laidOut(tensor, layout)) - 1;
  const args = schema.args.flatMap(({ name, type }) => {
    const value = sample[name];
    return value === undefined ? [] : [[name, caseArg(type, value, add)!] as const];
  });
  return { args: Object.fromEntries(args), tensors };
}

/** Describes a sample in a line, for messages. */
export function sampleText(sample: OpSample): string {
  return Object.entries(sample)
    .map(([name, value]) => `${name}=${shown(value)}`)
    .join(", ");
}

function shown(value: SampleValue): string {
  if (value instanceof Tensor) return `${value.dtype}[${value.shape.join(", ")}]`;
  if (Array.isArray(value)) return `[${(value as readonly SampleValue[]).map(shown).join(", ")}]`;
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  return "float" in value ? String(value.float) : JSON.stringify(value);
}

function typeText(type: SchemaType): string {
  if (type.kind === "optional") return `${typeText(type.inner)}?`;
  if (type.kind === "list") return `${typeText(type.inner)}[]`;
  return type.kind === "base" ? type.base : type.kind;
}

/** Converts a value to an argument of this type; undefined if it is none. */
function caseArg(type: SchemaType, value: SampleValue, add: (tensor: HostTensor) => number): CaseArg | undefined {
  if (type.kind === "optional") return value === null ? null : caseArg(type.inner, value, add);
  if (type.kind === "list") {
    if (!Array.isArray(value)) return undefined;
    const items = (value as readonly SampleValue[]).map((item) => caseArg(type.inner, item, add));
    return items.includes(undefined) ? undefined : (items as readonly CaseArg[]);
  }
  if (type.kind !== "base") return undefined;
  switch (type.base) {
    case "Tensor":
      return value instanceof HostTensor ? { tensor: add(value) } : undefined;
    case "int":
    case "SymInt":
      return wholeNumber(value);
    case "float":
    case "SymFloat":
      return realNumber(value);
    case "Scalar":
    case "number":
    case "complex":
      if (typeof value === "boolean") return value;
      if (typeof value === "object" && value !== null && "re" in value) return { complex: [value.re, value.im] };
      return wholeNumber(value) ?? realNumber(value);
    case "bool":
    case "SymBool":
      return typeof value === "boolean" ? value : undefined;
    default:
      return typeof value === "string" ? namedArg(type.base, value) : undefined;
  }
}

function wholeNumber(value: SampleValue): CaseArg | undefined {
  if (typeof value === "bigint") return { int: String(value) };
  return Number.isInteger(value) ? (value as number) : undefined;
}

function realNumber(value: SampleValue): CaseArg | undefined {
  if (typeof value === "number") return { float: value };
  return typeof value === "object" && value !== null && "float" in value ? { float: value.float } : undefined;
}

function namedArg(base: string, value: string): CaseArg | undefined {
  switch (base) {
    case "str":
      return value;
    case "ScalarType":
      return { dtype: value as DType };
    case "Device":
      return { device: value };
    case "Layout":
      return { layout: value };
    case "MemoryFormat":
      return { memory_format: value };
    default:
      return undefined;
  }
}

/** What lies between the elements of a tensor with gaps: NaN, -1 or true, so that a kernel which reads it is noticed. */
const BETWEEN = 0xff;

function laidOut({ dtype, shape, bytes }: HostTensor, layout: Layout | undefined): CaseTensor {
  if (layout === undefined || shape.length === 0 || shape.includes(0)) return { dtype, shape, data: base64(bytes) };
  const { strides, offset } = layout.geometry(shape);
  const at = positions(shape, { strides, offset });
  const itemsize = bytes.byteLength / at.length;
  const storage = new Uint8Array((at.reduce((a, b) => Math.max(a, b), 0) + 1) * itemsize).fill(
    dtype === "bool" ? 1 : BETWEEN,
  );
  for (const [i, place] of at.entries()) {
    storage.set(bytes.subarray(i * itemsize, (i + 1) * itemsize), place * itemsize);
  }
  return { dtype, shape, strides, offset, data: base64(storage) };
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
