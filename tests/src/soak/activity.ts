import type { Backend } from "@pt2/backend";
import type { LoadOptions } from "@pt2/runtime/node";
import type { Subject } from "./subjects.ts";

/** Something that a program does over and over. */
export interface Activity {
  readonly name: string;
  /** How often by the script, and in a test, where there is one. */
  readonly steps: { readonly long: number; readonly short?: number };
  /** Subjects that can do it: those whose name begins so. @default all */
  readonly only?: string;
  /** Gets ready. */
  begin(setting: Setting): Promise<Going>;
}

/** Where an activity is done. */
export interface Setting {
  readonly subject: Subject;
  readonly backend: Backend;
}

/** An activity under way. */
export interface Going {
  step(i: number): Promise<void>;
  /** Bytes that the model says it has reserved. */
  reserved(): Promise<number>;
  end(): Promise<void>;
}

/** Serves every step that aborts nothing: what waits with it must leave it. */
export const patient: AbortSignal = new AbortController().signal;

/** How a model is loaded there. */
export function optionsOf({ backend, subject: { precision } }: Setting): LoadOptions {
  return { backend, ...(precision && { precision }) };
}
