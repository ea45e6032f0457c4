import type { Backend, Capabilities, Executable } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";

/** One promise of the contract, and the program that tries it. */
export interface LifecycleCase {
  readonly name: string;
  /** A capability without which the promise is not made. */
  readonly needs?: keyof Capabilities;
  run(tools: LifecycleTools): Promise<void>;
}

/** What a case works with. */
export interface LifecycleTools {
  readonly backend: Backend;
  readonly registry: OpRegistry;
  /** A backend of the case's own, which it disposes. */
  fresh(): Promise<Backend>;
  /** A program in text form, made functional as the runtime does where the backend wants it. */
  program(text: string): Program;
  /** Compiles a program in text form on the shared backend; disposed after the case. */
  compile(text: string, weights?: readonly WeightTensor[], signal?: AbortSignal): Promise<Executable>;
}
