export type { Archive, ArchiveOptions, ArchiveRecord, Generation } from "./archive.ts";
export { DTYPES, type DType, type DTypeInfo, type DTypeKind, dtypeFromSchema } from "./dtype.ts";
export { Pt2Error, type Pt2ErrorParts } from "./error.ts";
export { FORMAT_ERRORS, type FormatErrorCode } from "./format-errors.ts";
export type * from "./program/types.ts";
export type { PyValue, SampleInputs } from "./sample-inputs.ts";
export type { ByteSource, ReadOptions } from "./source.ts";
export type { Storage, WeightKind, WeightTensor } from "./weights.ts";
