import type { CompileRequest, MemoryReport, Profile, Progress, Seed, UnsupportedOp } from "@pt2/backend";
import type { DType, SourceOrigin, WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { RuleAnswers, RuleQuestion, WireRules } from "./rule-messages.ts";
import type { WireError } from "./wire-error.ts";

/** A leaf of inputs or outputs as it crosses threads. */
export type WireValue = WireTensor | number | bigint | boolean | string | null;

export interface WireTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Not a view of it: those that are transferred Deno serializes at 13 MB a second (`node:worker_threads`, 2.9). */
  readonly bytes: ArrayBuffer;
}

/** A weight without its bytes: the worker reads them at `origin`, or requests the storage by id. */
export interface WireWeight extends Omit<WeightTensor, "storage"> {
  readonly storage: {
    readonly id: string;
    readonly entry: string;
    readonly nbytes: number;
    /** Whether the calling thread should be told which storages the worker will request. */
    readonly isFar: boolean;
  };
}

/** The calls that the worker answers. */
export interface Calls {
  unsupported(args: {
    /** The id of the executable in questions of the worker. */
    readonly executable: number;
    readonly program: Program;
    readonly rules: WireRules | null;
  }): readonly UnsupportedOp[];
  compile(args: {
    readonly executable: number;
    readonly program: Program;
    /** The rules of users' ops; null where there are none. */
    readonly rules: WireRules | null;
    readonly weights: readonly WireWeight[];
    readonly origins: ReadonlyMap<string, SourceOrigin>;
    readonly precision: CompileRequest["precision"];
    /**
     * A flag that the caller raises to end the load or the run under way; null where threads cannot share memory.
     */
    readonly cancel: SharedArrayBuffer | null;
  }): void;
  run(args: RunArgs): readonly WireValue[];
  profile(args: RunArgs): Omit<Profile, "outputs"> & { readonly outputs: readonly WireValue[] };
  warmup(args: RunArgs): void;
  readState(args: {
    readonly executable: number;
    readonly targets: readonly string[];
  }): readonly (readonly [target: string, value: WireValue])[];
  manualSeed(args: { readonly seed: Seed }): void;
  memory(args: { readonly executable: number }): MemoryReport;
  explain(args: { readonly executable: number }): string;
  dispose(args: { readonly executable: number }): void;
}

export interface RunArgs {
  readonly executable: number;
  readonly inputs: readonly WireValue[];
}

export type Method = keyof Calls;

/** Messages to the worker. */
export type ToWorker =
  /** The first message: the threads that compute. */
  | { readonly kind: "threads"; readonly count: number; readonly why: string | null }
  /** Runs may come through this slot, which counts the messages after this one. */
  | { readonly kind: "slot"; readonly buffer: SharedArrayBuffer }
  /** There is a run in the slot. */
  | { readonly kind: "look" }
  | { readonly kind: "call"; readonly id: number; readonly method: Method; readonly args: Parameters<Calls[Method]>[0] }
  | { readonly kind: "storage"; readonly read: number; readonly bytes: ArrayBuffer }
  | { readonly kind: "rule-answer"; readonly questionId: number; readonly answers: RuleAnswers }
  | { readonly kind: "rule-failed"; readonly questionId: number; readonly error: WireError }
  | { readonly kind: "storage-failed"; readonly read: number; readonly error: WireError };

/** Messages from the worker. */
export type FromWorker =
  | { readonly kind: "ready" }
  /** The run in the slot is answered. */
  | { readonly kind: "answered" }
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: WireError }
  | { readonly kind: "progress"; readonly executable: number; readonly progress: Progress }
  | { readonly kind: "read-storage"; readonly read: number; readonly executable: number; readonly storage: string }
  | {
      readonly kind: "expect-storages";
      readonly expected: number;
      readonly executable: number;
      readonly storages: readonly string[];
    }
  | { readonly kind: "expect-no-more"; readonly expected: number }
  | {
      readonly kind: "ask-rule";
      readonly questionId: number;
      readonly executable: number;
      readonly question: RuleQuestion;
    };

/** One side of a channel: what `Worker`, `MessagePort` and Node's `parentPort` have in common. */
export interface Port<Out, In> {
  post(message: Out, transfer?: readonly ArrayBuffer[]): void;
  listen(receive: (message: In) => void): void;
}
