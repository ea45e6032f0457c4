import { DTYPES, type DType, dtypeFromSchema } from "../dtype.ts";
import type { Decode } from "../json/json-reader.ts";
import type { Layout, MemoryFormat, NamedArgument } from "./exported-program.ts";

/** Layouts by schema number, which differs from c10's. */
export const LAYOUTS: readonly Layout[] = [
  "unknown",
  "sparse_coo",
  "sparse_csr",
  "sparse_csc",
  "sparse_bsr",
  "sparse_bsc",
  "_mkldnn",
  "strided",
];

/** Memory formats by schema number. */
export const MEMORY_FORMATS: readonly MemoryFormat[] = [
  "unknown",
  "contiguous_format",
  "channels_last",
  "channels_last_3d",
  "preserve_format",
];

/** Argument kinds by schema number. */
export const ARGUMENT_KINDS: readonly NamedArgument["kind"][] = ["unknown", "positional", "keyword"];

function enumOf<T>(names: readonly T[], what: string): Decode<T> {
  return (json, value) => {
    const number = json.smallInt(value);
    return names[number] ?? json.fail(`${number} is not a known ${what}`);
  };
}

/** Decodes a layout. */
export const layout: Decode<Layout> = enumOf(LAYOUTS, "layout");
/** Decodes a memory format. */
export const memoryFormat: Decode<MemoryFormat> = enumOf(MEMORY_FORMATS, "memory format");
/** Decodes how an argument was passed. */
export const argumentKind: Decode<NamedArgument["kind"]> = enumOf(ARGUMENT_KINDS, "argument kind");

/** Decodes a dtype's schema number. */
export const dtype: Decode<DType> = (json, value) => {
  const number = json.smallInt(value);
  return dtypeFromSchema(number) ?? json.fail(`${number} is not a known dtype (known: ${knownDtypes()})`);
};

function knownDtypes(): string {
  return Object.entries(DTYPES)
    .map(([name, { schema }]) => `${schema} ${name}`)
    .join(", ");
}
