import type { Buffer, Constant } from "./constant.ts";

/** What differs between planning a forward and planning the computation of a constant. */
export interface StepSink {
  /** Adds work. */
  step(run: () => void): void;
  /** Memory that lives until the current call ends. */
  scratch(bytes: number): Buffer;
  /** Tells that the current call reads a buffer. */
  reads(buffer: Buffer): void;
  /** Takes one `reads` of a constant back: it only served to make another one. */
  unreads(constant: Constant): void;
}
