import type { Buffer } from "../engine/tensor-view.ts";

/** A part of a buffer that a shader sees. */
export interface Binding {
  readonly buffer: Buffer;
  /** Bytes; the whole buffer when absent. */
  readonly range?: { readonly offset: number; readonly size: number };
}

/** One dispatch, with everything decided but where its buffers are. */
export interface Dispatch {
  /** For labels, traces and `explain`. */
  readonly name: string;
  /** Equal texts share a pipeline, so sizes belong into `params`. */
  readonly code: string;
  /** In the order of their numbers: what is read, then what is written. The uniform block follows them. */
  readonly reads: readonly Binding[];
  readonly writes: readonly Binding[];
  /** The uniform block, a multiple of 16 bytes, or null. */
  readonly params: Uint8Array<ArrayBuffer> | null;
  readonly workgroups: readonly [x: number, y: number, z: number];
}
