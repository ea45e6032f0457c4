import type { HostData } from "@pt2/engine";
import type { Dispatch } from "../shader/dispatch.ts";
import type { Guard } from "../shader/shader.ts";
import type { Buffer } from "./constant.ts";
import type { Place } from "./place.ts";

/** Work on the host in the middle of a run, for ops that have no shader: read back, compute, upload. */
export interface HostStep {
  readonly name: string;
  readonly reads: readonly Place[];
  readonly writes: readonly Place[];
  /** One entry for each of `writes`, row-major. */
  run(inputs: readonly HostData[]): readonly HostData[];
}

/** What a planned step does. */
export type Work =
  | { readonly kind: "dispatch"; readonly dispatch: Dispatch }
  | { readonly kind: "host"; readonly step: HostStep };

/** The buffers that a piece of work needs while it runs: what it reads, and what it writes. */
export function buffersOf(work: Work): readonly Buffer[] {
  const bindings = work.kind === "dispatch" ? work.dispatch : work.step;
  return [...bindings.reads, ...bindings.writes].map(({ buffer }) => buffer);
}

/** Where planned work and its memory go: into a plan, or into the computation of a constant. */
export interface StepSink {
  add(work: Work): void;
  /** Memory until the end of the current step. */
  scratch(bytes: number): Buffer;
  /** Reserves two words that are looked at when the work is done. */
  guard(guard: Guard): { readonly buffer: Buffer; readonly slot: number };
}
