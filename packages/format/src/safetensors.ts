import type { ByteSource } from "./byte-source.ts";
import { DTYPES, type DType } from "./dtype.ts";
import { storageId } from "./entry-storage.ts";
import { formatError } from "./format-errors.ts";
import { type Decode, JsonReader, listOf, mapOf, smallInt, string } from "./json/json-reader.ts";
import { parseJson } from "./json/parse-json.ts";
import { type Writable, writeJson } from "./json/write-json.ts";
import { checkLimit } from "./limits.ts";
import { requireArgument } from "./options.ts";
import type { TensorData, Tensors } from "./tensor-data.ts";
import { contiguousStrides, numel } from "./view.ts";
import type { WeightTensor } from "./weight-tensor.ts";
import type { ByteSink } from "./zip/zip-writer.ts";

const METADATA = "__metadata__";
const OPENING_BRACE = 0x7b;
const BY_NAME: ReadonlyMap<string, DType> = new Map(
  (Object.keys(DTYPES) as DType[]).flatMap((dtype) => {
    const name = DTYPES[dtype].safetensors;
    return name === null ? [] : [[name, dtype] as const];
  }),
);

/** The content of a safetensors file. */
export interface Safetensors {
  readonly tensors: Tensors;
  readonly metadata: ReadonlyMap<string, string>;
}

/** Reads a safetensors file. Tensors of a source in memory are views of it. */
export async function readSafetensors(source: ByteSource): Promise<Safetensors> {
  requireArgument("readSafetensors()", "source", source, "{ size, read }", "format.options");
  const { places, metadata } = await readHeader(source);
  const tensors = new Map<string, TensorData>();
  for (const [name, { dtype, shape, begin, end }] of places) {
    tensors.set(name, { dtype, shape, bytes: await source.read(begin, end - begin) });
  }
  return { tensors, metadata };
}

/** Opens a safetensors file as weights by name. Bytes are read when a weight is, so the source has to stay open. */
export async function openSafetensors(source: ByteSource): Promise<ReadonlyMap<string, WeightTensor>> {
  requireArgument("openSafetensors()", "source", source, "{ size, read }", "format.options");
  const { places } = await readHeader(source);
  const weight = (name: string, { dtype, shape, begin, end }: Place): WeightTensor => ({
    name,
    kind: "parameter",
    dtype,
    shape,
    strides: contiguousStrides(shape),
    storageOffset: 0,
    requiresGrad: false,
    device: { type: "cpu", index: null },
    storage: {
      id: storageId(name),
      entry: name,
      nbytes: end - begin,
      read: (options) => source.read(begin, end - begin, options),
    },
  });
  return new Map(places.map(([name, place]) => [name, weight(name, place)]));
}

/** Reads where each tensor is, in the order of the file, with positions from its start. */
async function readHeader(
  source: ByteSource,
): Promise<{ readonly places: readonly (readonly [string, Place])[]; readonly metadata: ReadonlyMap<string, string> }> {
  const where = source.name ?? "safetensors";
  if (source.size < 8) throw damaged("the file is shorter than 8 bytes", where);
  const prefix = await source.read(0, 8);
  const headerBytes = new DataView(prefix.buffer, prefix.byteOffset, 8).getBigUint64(0, true);
  const [first] = source.size > 8 ? await source.read(8, 1) : [];
  if (first !== OPENING_BRACE) {
    throw formatError("format.safetensors", {
      what: "the file is not a safetensors file: it has no header of JSON behind 8 bytes",
      where,
      advice: "write it with safetensors.torch.save_file({ name: tensor }, path) in Python",
    });
  }
  checkLimit("safetensorsHeaderBytes", Number(headerBytes), where);
  const start = 8 + Number(headerBytes);
  if (start > source.size) throw damaged("the header reaches beyond the end of the file", where);

  const json = new JsonReader(where, "format.safetensors");
  const header = json.object(parseJson(await source.read(8, start - 8), where));
  const metadata = json.optional(header, METADATA, mapOf(string), new Map<string, string>());
  const { [METADATA]: _, ...entries } = header;
  let end = 0;
  const places = [...json.map(entries, place)].sort(([, a], [, b]) => a.begin - b.begin || a.end - b.end);
  for (const [name, { begin, end: next }] of places) {
    if (begin !== end || start + next > source.size)
      throw damaged("the tensor overlaps another one, leaves a gap, or reaches beyond the end of the file", name);
    end = next;
  }
  if (start + end !== source.size) throw damaged("bytes follow the last tensor", where);
  const absolute = places.map(([name, at]) => [name, { ...at, begin: start + at.begin, end: start + at.end }] as const);
  return { places: absolute, metadata };
}

interface Place {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

const place: Decode<Place> = (json, value) => {
  const object = json.object(value);
  const dtype: Decode<DType> = (reader, name) =>
    BY_NAME.get(reader.string(name)) ?? reader.fail(`${JSON.stringify(name)} is not a known dtype`);
  const result = { dtype: json.at(object, "dtype", dtype), shape: json.at(object, "shape", listOf(smallInt)) };
  const [begin = -1, end = -1] = json.at(object, "data_offsets", listOf(smallInt));
  checkLimit("dims", result.shape.length, json.place);
  const nbytes = numel(result.shape) * DTYPES[result.dtype].itemsize;
  if (result.shape.some((size) => size < 0) || begin < 0 || end - begin !== nbytes) {
    json.fail(`offsets ${begin} to ${end} do not hold ${nbytes} bytes`);
  }
  return { ...result, begin, end };
};

/** Writes a safetensors file; returns its size. Tensors keep their order. */
export async function writeSafetensors(
  tensors: Tensors,
  sink: ByteSink,
  metadata: ReadonlyMap<string, string> = new Map(),
): Promise<number> {
  requireArgument("writeSafetensors()", "tensors", tensors, "Map", "format.options");
  requireArgument("writeSafetensors()", "sink", sink, "function", "format.options");
  const header = new Map<string, Writable>();
  if (metadata.size > 0) header.set(METADATA, metadata);
  let end = 0;
  for (const [name, { dtype, shape, bytes }] of tensors) {
    const { itemsize, safetensors } = DTYPES[dtype];
    if (safetensors === null)
      throw unwritable(`the safetensors format has no dtype ${dtype}`, name, "convert the tensor first");
    if (name === METADATA) throw unwritable("the format has another use of that name", name, "rename the tensor");
    if (numel(shape) * itemsize !== bytes.byteLength) {
      throw unwritable(
        `${bytes.byteLength} bytes do not fit ${dtype} [${shape.join(", ")}]`,
        name,
        "pass contiguous data",
      );
    }
    header.set(name, { dtype: safetensors, shape, data_offsets: [end, end + bytes.byteLength] });
    end += bytes.byteLength;
  }
  const json = new TextEncoder().encode(writeJson(header));
  const padded = 8 * Math.ceil(json.byteLength / 8);
  const head = new Uint8Array(8 + padded).fill(0x20);
  new DataView(head.buffer).setBigUint64(0, BigInt(padded), true);
  head.set(json, 8);
  await sink(head);
  for (const { bytes } of tensors.values()) if (bytes.byteLength > 0) await sink(bytes);
  return head.byteLength + end;
}

function damaged(what: string, where: string): Error {
  return formatError("format.safetensors", { what, where, advice: "the file is damaged, write it again" });
}

function unwritable(what: string, where: string, advice: string): Error {
  return formatError("format.write", { what, where, advice });
}
