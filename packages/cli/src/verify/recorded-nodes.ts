import { numel, type Value } from "@pt2/backend";
import { DTYPES, type DType, type TensorData, type Tensors } from "@pt2/format";
import { cliError } from "../cli-errors.ts";
import { toHostTensor } from "../report/host-tensor.ts";
import type { Scalar } from "../tensors/sidecar.ts";
import { readTensorsAndMetadata } from "../tensors/tensor-file.ts";

/** A tensor of which only the type was recorded. */
export interface RecordedType {
  readonly kind: "type";
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** What a node returned in PyTorch. */
export type Recorded = Value | RecordedType;

/** The values of a run in PyTorch, by name. */
export interface RecordedNodes {
  readonly path: string;
  readonly values: ReadonlyMap<string, Recorded>;
  /** The names of the program's inputs in order; null in a file that `record_nodes.py` did not write. */
  readonly inputs: readonly string[] | null;
}

/** The entry of the metadata in which `record_nodes.py` stores what is not a tensor. */
const NOTES = "pt2.nodes";
const VERSION = 1;

interface Notes {
  readonly version: number;
  readonly inputs: readonly string[];
  /** The kind in Python, and the value as JSON of Python. */
  readonly scalars: Readonly<Record<string, readonly [kind: string, text: string]>>;
  /** The types of tensors that are stored as bytes, as safetensors has no name for their dtype. */
  readonly bytes: Readonly<Record<string, readonly [dtype: DType, shape: readonly number[]]>>;
  readonly shapes: Readonly<Record<string, readonly [dtype: DType, shape: readonly number[]]>>;
}

/** Reads what `record_nodes.py` wrote, or any file of tensors by the names of nodes. */
export async function readRecordedNodes(path: string): Promise<RecordedNodes> {
  const { tensors, metadata } = await readTensorsAndMetadata(path);
  const text = metadata.get(NOTES);
  const notes = text === undefined ? undefined : parseNotes(text, path);
  try {
    return { path, values: valuesOf(tensors, notes), inputs: notes?.inputs ?? null };
  } catch (cause) {
    throw cliError("cli.inputs", { what: "The recorded values are damaged", where: path, advice: AGAIN, cause });
  }
}

const AGAIN = "record them again with the script that `pt2 recorder` prints";

function valuesOf(tensors: Tensors, notes: Notes | undefined): ReadonlyMap<string, Recorded> {
  const values = new Map<string, Recorded>();
  for (const [name, tensor] of tensors) values.set(name, toHostTensor(withType(tensor, notes?.bytes[name])));
  for (const [name, [kind, text]] of Object.entries(notes?.scalars ?? {})) values.set(name, parseScalar(kind, text));
  for (const [name, [dtype, shape]] of Object.entries(notes?.shapes ?? {}))
    values.set(name, { kind: "type", dtype, shape });
  return values;
}

/** Returns whether only the type of a value was recorded. */
export function isRecordedType(value: Recorded | undefined): value is RecordedType {
  return typeof value === "object" && value !== null && "kind" in value;
}

function parseNotes(text: string, path: string): Notes {
  const notes = jsonOf(text) as Notes | null;
  if (notes?.version === VERSION) return notes;
  throw cliError("cli.inputs", {
    what: `The nodes were recorded in version ${notes?.version} of the format, and this program reads version ${VERSION}`,
    where: path,
    advice: AGAIN,
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function withType(tensor: TensorData, type: Notes["bytes"][string] | undefined): TensorData {
  if (type === undefined) return tensor;
  const [dtype, shape] = type;
  const fits = dtype in DTYPES && numel(shape) * DTYPES[dtype].itemsize === tensor.bytes.byteLength;
  return fits ? { ...tensor, dtype, shape } : tensor;
}

function parseScalar(kind: string, text: string): Scalar {
  if (kind === "float") return Number(text);
  if (kind !== "int") return JSON.parse(text) as Scalar;
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}
