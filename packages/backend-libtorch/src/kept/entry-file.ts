import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { contiguousStrides, type DType } from "@pt2/format";
import type { Addon, NativeFile, NativeTensor } from "../addon.ts";

/** The part of the native module that reads and writes entries. */
export type EntryAddon = Pick<Addon, "mapFile" | "tensor" | "call">;

/** Where one tensor lies in an entry. */
interface Place {
  readonly target: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly offset: number;
  readonly nbytes: number;
}

/** What an entry says about itself. It lies behind the tensors, and {@link TRAILER} bytes behind it. */
interface Contents {
  readonly key: string;
  readonly places: readonly Place[];
  /** The SHA-256 of the sums of all rows. */
  readonly sums: string;
}

/** Tensors begin where vectors of every kernel may. */
const ALIGNMENT = 64;
/**
 * Bytes of a row. The tensors are summed as integers of 64 bits, row by row: that is as fast as memory is read, and
 * shows any byte that changed, and any page that is zero or somewhere else.
 */
const ROW = 4096;
const MAGIC = "pt2 kept weights 1\n";
/** The bytes at the end of an entry: {@link MAGIC}, the length of the contents as text, and their SHA-256. */
const TRAILER = 128;

/** Ends of files that are being written. */
export const UNFINISHED = ".part";

/** Writes an entry: it is there as a whole or not at all. Row-major tensors of the CPU are expected. */
export async function writeEntry(
  file: string,
  key: string,
  tensors: ReadonlyMap<string, NativeTensor>,
  addon: EntryAddon,
): Promise<void> {
  const draft = `${file}.${randomUUID()}${UNFINISHED}`;
  try {
    const handle = await open(draft, "wx");
    try {
      const { places, rows } = await writeTensors(handle, tensors);
      const contents: Contents = { key, places, sums: await sumsOf(addon.mapFile(draft), rows, addon) };
      const text = Buffer.from(JSON.stringify(contents));
      await append(handle, text, rows * ROW);
      await append(handle, trailerOf(text), rows * ROW + text.byteLength);
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (problem) {
    await rm(draft, { force: true });
    throw problem;
  }
}

/** Maps the tensors of an entry; returns null for one that is damaged, of another version or of another key. */
export async function readEntry(
  file: string,
  key: string,
  addon: EntryAddon,
): Promise<ReadonlyMap<string, NativeTensor> | null> {
  const mapped = addon.mapFile(file);
  const contents = contentsOf(mapped, addon);
  if (contents?.key !== key) return null;
  const rows = rowsOf(contents.places);
  if ((await sumsOf(mapped, rows, addon)) !== contents.sums) return null;
  return new Map(
    contents.places.map(({ target, dtype, shape, offset, nbytes }) => {
      const layout = { dtype, shape, strides: contiguousStrides(shape), storageOffset: 0 };
      return [target, addon.tensor(mapped.storage(offset, nbytes), layout, "cpu")];
    }),
  );
}

async function writeTensors(
  handle: FileHandle,
  tensors: ReadonlyMap<string, NativeTensor>,
): Promise<{ readonly places: readonly Place[]; readonly rows: number }> {
  const places: Place[] = [];
  let end = 0;
  for (const [target, tensor] of tensors) {
    const bytes = await tensor.read();
    const offset = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
    await append(handle, bytes, offset);
    const { dtype, shape } = tensor;
    places.push({ target, dtype, shape, offset, nbytes: bytes.byteLength });
    end = offset + bytes.byteLength;
  }
  const rows = rowsOf(places);
  await handle.truncate(rows * ROW);
  return { places, rows };
}

function rowsOf(places: readonly Place[]): number {
  return Math.ceil(Math.max(0, ...places.map(({ offset, nbytes }) => offset + nbytes)) / ROW);
}

/** Writes all bytes: one call may write fewer. */
async function append(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.byteLength - done, position + done);
    done += bytesWritten;
  }
}

function trailerOf(text: Uint8Array): Uint8Array {
  return Buffer.from(`${MAGIC}${text.byteLength}\n${digest(text)}\n`.padEnd(TRAILER));
}

function contentsOf(file: NativeFile, addon: EntryAddon): Contents | null {
  if (file.size < TRAILER) return null;
  const trailer = bytesOf(file, file.size - TRAILER, TRAILER, addon).toString("latin1");
  if (!trailer.startsWith(MAGIC)) return null;
  const [length, hash] = trailer.slice(MAGIC.length).split("\n");
  const start = file.size - TRAILER - Number(length);
  if (!(start >= 0)) return null;
  const text = bytesOf(file, start, Number(length), addon);
  if (digest(text) !== hash) return null;
  const contents = JSON.parse(text.toString()) as Contents;
  return rowsOf(contents.places) * ROW === start ? contents : null;
}

function bytesOf(file: NativeFile, offset: number, length: number, addon: EntryAddon): Buffer {
  const layout = { dtype: "uint8", shape: [length], strides: [1], storageOffset: 0 } as const;
  return Buffer.from(addon.tensor(file.storage(offset, length), layout, "cpu").bytes());
}

/** Returns the SHA-256 of the sums of the first rows of a file, which are computed on the pool. */
async function sumsOf(file: NativeFile, rows: number, addon: EntryAddon): Promise<string> {
  const words = ROW / 8;
  const layout = { dtype: "int64", shape: [rows, words], strides: [words, 1], storageOffset: 0 } as const;
  const tensor = addon.tensor(file.storage(0, rows * ROW), layout, "cpu");
  const dim = { kind: "list", items: [{ kind: "int", value: 1 }] } as const;
  const args = [
    { name: "self", value: { kind: "tensor", tensor } },
    { name: "dim", value: dim },
  ] as const;
  const [sums] = await addon.call("aten::sum.dim_IntList", args);
  return digest((sums as NativeTensor).bytes());
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
