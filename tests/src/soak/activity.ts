import type { Backend } from "@pt2/backend";
import type { LoadOptions } from "@pt2/runtime/node";
import type { Subject } from "./subjects.ts";

/** Something that a program does repeatedly. */
export interface Activity {
  readonly name: string;
  /** The number of steps in the script, and in a test, where there is one. */
  readonly steps: { readonly long: number; readonly short?: number };
  /** The subjects that can do it: those whose name begins so. @default all */
  readonly only?: string;
  /** Prepares the activity. */
  begin(setting: Setting): Promise<Going>;
}

/** The backend and subject of an activity. */
export interface Setting {
  readonly subject: Subject;
  readonly backend: Backend;
}

/** An activity under way. */
export interface Going {
  step(i: number): Promise<void>;
  /** Returns the bytes that the model reports as reserved. */
  reserved(): Promise<number>;
  end(): Promise<void>;
}

/** The signal of every step that aborts nothing: listeners must be removed from it. */
export const patient: AbortSignal = new AbortController().signal;

/** Returns the options with which a model is loaded. */
export function optionsOf({ backend, subject: { precision } }: Setting): LoadOptions {
  return { backend, ...(precision && { precision }) };
}
