import { formatError } from "./format-errors.ts";

/**
 * The bounds on what a file may claim, each with its reason. The bytes that a file really holds are never bounded: a
 * model may be as large as its file. The bounds are on what a small file could claim.
 */
export const LIMITS = {
  /** Entries in a zip. Each takes 46 bytes of directory and 30 of header; the largest models have some 10^5. */
  zipEntries: 1_000_000,
  /** Bytes of a zip's directory, which is read whole: a million entries with names of 200 bytes. */
  zipDirectoryBytes: 268_435_456,
  /** Bytes of an entry name. PyTorch's are under 200; file systems end at 4096. */
  nameBytes: 4_096,
  /** Inflated bytes of one entry that are accepted at any ratio: enough for every JSON file, harmless to allocate. */
  inflateFreeBytes: 67_108_864,
  /** Inflated ÷ compressed size beyond that. Trained weights reach 2, text 20; a zip bomb needs hundreds. */
  inflateRatio: 100,
  /** Bytes of one JSON entry: V8 ends strings at 512 MiB, a 100 000-node program takes 230 MiB. */
  jsonBytes: 268_435_456,
  /** Nested brackets in JSON. A subgraph costs 8 levels; 32 nested ones are beyond any exporter. */
  jsonDepth: 256,
  /** Nested subgraphs and arguments, which are decoded recursively. */
  programDepth: 64,
  /** Nested containers of a pytree: modules' calls nest a handful. */
  treeDepth: 64,
  /** Dimensions of a tensor; PyTorch itself ends at 64. */
  dims: 64,
  /** Elements of a tensor: a terabyte of bytes, beyond any single weight, and far inside exact doubles. */
  elements: 1_099_511_627_776,
  /**
   * Bytes a tensor may have beyond its storage's bytes. Expanded tensors (stride 0) are legitimate, causal masks for
   * instance, and a consumer may have to materialize them.
   */
  expandedBytes: 268_435_456,
  /** Bytes of a pickle program: 10^5 tensors take 20 MiB; bytes objects inside it are part of it. */
  pickleBytes: 67_108_864,
  /** Opcodes of a pickle: 30 per tensor. */
  pickleOpcodes: 10_000_000,
  /** Objects on a pickle's stack, in its memo. */
  pickleObjects: 2_000_000,
  /** Items and characters that calls in a pickle copy: calling again and again on one long list is quadratic. */
  pickleWork: 10_000_000,
  /** Objects reached by walking a pickle's result: shared objects make that exponential in the pickle's size. */
  pickleWalk: 2_000_000,
  /** Nested containers of a pickle's result; also ends cycles. */
  pickleDepth: 64,
  /** Bytes of a safetensors header, the bound of the reference implementation. */
  safetensorsHeaderBytes: 100_000_000,
  /**
   * Bytes of a download without a declared length, which is held in memory: larger than such models usually are, and
   * small enough not to crash a page. Servers of larger files declare their length.
   */
  unsizedDownloadBytes: 1_073_741_824,
  /** Bytes of a .npy header; the format's first version ends at 64 KiB. */
  npyHeaderBytes: 65_536,
} as const;

/** Throws when a file exceeds a limit. */
export function checkLimit(limit: keyof typeof LIMITS, value: number, where: string): void {
  if (value <= LIMITS[limit]) return;
  throw formatError("format.limit", {
    what: `the file exceeds the limit ${limit}: ${value}, at most ${LIMITS[limit]} is allowed`,
    where,
    advice: "the file is damaged or malicious; if it is a real model, report it so that the limit can be raised",
    details: { limit, value, allowed: LIMITS[limit] },
  });
}
