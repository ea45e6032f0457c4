import type { HostData } from "@pt2/backend/staged";
import type { Dispatch } from "../shader/dispatch.ts";
import type { Guard } from "../shader/shader.ts";
import type { Constant } from "./constant.ts";
import type { Buffer, Place } from "./place.ts";

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

/** Where planned work and its memory go: into a plan, or into the computation of a constant. */
export interface StepSink {
  add(work: Work): void;
  /** Memory until the end of the current step. */
  scratch(bytes: number): Buffer;
  /** Says that the current step reads a buffer. */
  reads(buffer: Buffer): void;
  /** Takes back one `reads`: the step reads something made of the constant instead. */
  unreads(constant: Constant): void;
  /** Reserves two words that are looked at when the work is done. */
  guard(guard: Guard): { readonly buffer: Buffer; readonly slot: number };
}
