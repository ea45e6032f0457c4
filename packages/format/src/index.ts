export { onAbort } from "./abort/on-abort.ts";
export { unlessAborted } from "./abort/unless-aborted.ts";
export type { Archive, ArchiveEntry, ArchiveOptions, Generation, ReadSignal } from "./archive.ts";
export type { ByteSource, ReadOptions, SourceOrigin } from "./byte-source.ts";
export { fromBlob, fromBytes } from "./byte-source.ts";
export { DTYPES, type DType, type DTypeInfo, type DTypeKind, dtypeFromSchema } from "./dtype.ts";
export { absentWeights } from "./entry-storage.ts";
export { expectStorages } from "./expect-storages.ts";
export { bitsToFloat, bitsToFloat32, floatToBits, isSmallFloat, roundHalfEven, type SmallFloat } from "./float-bits.ts";
export { FORMAT_ERRORS, type FormatErrorCode } from "./format-errors.ts";
export { isBeyondInt64 } from "./int64.ts";
export { LIMITS } from "./limits.ts";
export { LruCache } from "./lru-cache.ts";
export { memoryStorage } from "./memory-storage.ts";
export { readNpz } from "./npz.ts";
export { openArchive } from "./open-archive.ts";
export { type CacheOptions, cached, cacheUsage, clearCache, type PageFolder } from "./opfs/archive-cache.ts";
export { parseProgram } from "./program/decode-program.ts";
export { formatProgram } from "./program/encode-program.ts";
export type * from "./program/exported-program.ts";
export { Pt2Error, type Pt2ErrorParts } from "./pt2-error.ts";
export type { ByteRange } from "./remote/byte-range.ts";
export type { UrlOptions } from "./remote/remote-options.ts";
export { openSafetensors, readSafetensors, type Safetensors, writeSafetensors } from "./safetensors.ts";
export type { PyValue, SampleInputs } from "./sample-inputs.ts";
export { fromUrl } from "./source-url.ts";
export { readTensor, type TensorData, type Tensors } from "./tensor-data.ts";
export {
  contiguousStrides,
  isContiguous,
  normalDim,
  numel,
  type Reach,
  reachOf,
  reachOutside,
  type Strided,
  sameShape,
} from "./view.ts";
export type { FarStorages, Storage, WeightKind, WeightTensor } from "./weight-tensor.ts";
export { type ArchiveContent, archiveToBytes, type ModelContent, writeArchive } from "./write-archive.ts";
export type { ByteSink } from "./zip/zip-writer.ts";
