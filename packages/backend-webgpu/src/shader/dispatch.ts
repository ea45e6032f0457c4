import type { Buffer } from "../engine/tensor-view.ts";

/** A part of a buffer that is bound to a shader. */
export interface Binding {
  readonly buffer: Buffer;
  /** The range in bytes; the whole buffer when absent. */
  readonly range?: { readonly offset: number; readonly size: number };
}

/** One dispatch, with everything decided except its buffers' memory. */
export interface Dispatch {
  /** The name in labels, traces and `explain`. */
  readonly name: string;
  /** The WGSL. Equal texts share a pipeline, so sizes belong into `params`. */
  readonly code: string;
  /** The bindings in the order of their numbers: what is read, then what is written. The uniform block follows them. */
  readonly reads: readonly Binding[];
  readonly writes: readonly Binding[];
  /** The uniform block, a multiple of 16 bytes, or null. */
  readonly params: Uint8Array<ArrayBuffer> | null;
  readonly workgroups: readonly [x: number, y: number, z: number];
}
