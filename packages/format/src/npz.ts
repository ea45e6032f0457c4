import type { ByteSource } from "./byte-source.ts";
import { DTYPES, type DType } from "./dtype.ts";
import { formatError } from "./format-errors.ts";
import { checkLimit } from "./limits.ts";
import { requireArgument } from "./options.ts";
import { rowMajor, type TensorData, type Tensors } from "./tensor-data.ts";
import { checkView, numel } from "./view.ts";
import { ZipFile } from "./zip/zip-file.ts";

const MAGIC = "\x93NUMPY";

const DTYPE_OF: Readonly<Record<string, DType>> = {
  b1: "bool",
  u1: "uint8",
  u2: "uint16",
  u4: "uint32",
  u8: "uint64",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  f2: "float16",
  f4: "float32",
  f8: "float64",
  c8: "complex64",
  c16: "complex128",
};

/** Reads a `.npz` file, with arrays by their name without `.npy`; or a `.npy` file, with its array as `0`. */
export async function readNpz(source: ByteSource): Promise<Tensors> {
  requireArgument("readNpz()", "source", source, "{ size, read }", "format.options");
  const where = source.name ?? "npz";
  const head = await source.read(0, Math.min(source.size, MAGIC.length));
  if (String.fromCharCode(...head) === MAGIC) {
    return new Map([["0", parseNpy(await source.read(0, source.size), where)]]);
  }
  const zip = await ZipFile.open(source, true);
  if (zip === undefined) throw damaged("the file is neither .npy nor a zip archive", where);
  const tensors = new Map<string, TensorData>();
  const all = [...zip.entries.values()];
  const arrays = all.filter(({ name }) => name.endsWith(".npy"));
  if (arrays.length === 0 && all.length > 0)
    throw damaged("the zip archive has no arrays (no .npy entries)", where, { arrays: 0 });
  for (const entry of arrays) {
    tensors.set(entry.name.slice(0, -".npy".length), parseNpy(await zip.read(entry), entry.name));
  }
  return tensors;
}

function parseNpy(bytes: Uint8Array, where: string): TensorData {
  const latin1 = (start: number, end: number): string => String.fromCharCode(...bytes.subarray(start, end));
  if (bytes.byteLength < 12 || latin1(0, 6) !== MAGIC) throw damaged("the file is not a .npy array", where);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wide = bytes[6]! >= 2;
  const headerBytes = wide ? view.getUint32(8, true) : view.getUint16(8, true);
  checkLimit("npyHeaderBytes", headerBytes, where);
  const start = (wide ? 12 : 10) + headerBytes;
  if (start > bytes.byteLength) throw damaged("the header reaches beyond the end of the file", where);
  const header = latin1(wide ? 12 : 10, start);

  const descr = /'descr':\s*'([<>|=])(\w+)'/.exec(header);
  const fortran = /'fortran_order':\s*(True|False)/.exec(header)?.[1];
  const sizes = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1];
  const code = descr?.[2] ?? "";
  if (descr?.[1] === ">" || !Object.hasOwn(DTYPE_OF, code) || fortran === undefined || sizes === undefined) {
    throw damaged(`arrays of ${JSON.stringify(header.trim().slice(0, 200))} are not supported`, where);
  }
  const dtype = DTYPE_OF[code]!;
  const shape = sizes.split(",").flatMap((size) => (size.trim() === "" ? [] : Number(size)));
  checkLimit("dims", shape.length, where);
  const data = bytes.subarray(start);
  if (numel(shape) * DTYPES[dtype].itemsize !== data.byteLength) {
    throw damaged(
      `the header declares ${dtype} [${shape.join(", ")}], but the data has ${data.byteLength} bytes`,
      where,
    );
  }
  if (fortran === "False") return { dtype, shape, bytes: data };
  const strides = shape.map((_, dim) => numel(shape.slice(0, dim)));
  const columns = { dtype, shape, strides, storageOffset: 0 };
  checkView(columns, data.byteLength, where);
  return { dtype, shape, bytes: rowMajor(data, columns) };
}

function damaged(what: string, where: string, details: Readonly<Record<string, unknown>> = {}): Error {
  return formatError("format.npz", {
    what,
    where,
    details,
    advice: "save plain little-endian numeric arrays with numpy.save or numpy.savez",
  });
}
