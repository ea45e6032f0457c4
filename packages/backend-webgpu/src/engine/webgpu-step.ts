import type { Awaitable, HostData } from "@pt2/engine";
import type { Dispatch } from "../shader/dispatch.ts";
import type { Buffer, TensorView } from "./tensor-view.ts";

/** Work on the host in the middle of a run, for ops without a shader: read back, compute, upload. */
export interface HostStep {
  readonly name: string;
  readonly reads: readonly TensorView[];
  readonly writes: readonly TensorView[];
  /** Computes one entry for each of `writes`, contiguous; a promise is awaited. */
  run(inputs: readonly HostData[]): Awaitable<readonly HostData[]>;
}

/** The work of a planned step. */
export type WebgpuStep =
  | { readonly kind: "dispatch"; readonly dispatch: Dispatch }
  | { readonly kind: "host"; readonly step: HostStep };

/** Returns the buffers that a piece of work needs while it runs: what it reads, and what it writes. */
export function buffersOf(work: WebgpuStep): readonly Buffer[] {
  return [...bindingsOf(work).reads.map(({ buffer }) => buffer), ...writtenBy(work)];
}

/** Returns the buffers that a piece of work writes. */
export function writtenBy(work: WebgpuStep): readonly Buffer[] {
  return bindingsOf(work).writes.map(({ buffer }) => buffer);
}

function bindingsOf(work: WebgpuStep): {
  readonly reads: readonly { readonly buffer: Buffer }[];
  readonly writes: readonly { readonly buffer: Buffer }[];
} {
  return work.kind === "dispatch" ? work.dispatch : work.step;
}

/** Returns the same work on other buffers. */
export function rebound(work: WebgpuStep, other: (buffer: Buffer) => Buffer): WebgpuStep {
  const moved = <Bound extends { readonly buffer: Buffer }>(bound: Bound): Bound => ({
    ...bound,
    buffer: other(bound.buffer),
  });
  if (work.kind === "dispatch") {
    const { dispatch } = work;
    const [reads, writes] = [dispatch.reads.map(moved), dispatch.writes.map(moved)];
    return { kind: "dispatch", dispatch: { ...dispatch, reads, writes } };
  }
  const { step } = work;
  return { kind: "host", step: { ...step, reads: step.reads.map(moved), writes: step.writes.map(moved) } };
}
