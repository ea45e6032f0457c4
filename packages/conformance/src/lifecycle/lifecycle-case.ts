import type { Backend, Capabilities, Executable } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";

/** A test of one promise of the contract, with the program that it needs. */
export interface LifecycleCase {
  readonly name: string;
  /** The capability that the promise depends on: backends without it skip the case. */
  readonly needs?: keyof Capabilities;
  run(tools: LifecycleTools): Promise<void>;
}

/** The tools that a case works with. */
export interface LifecycleTools {
  readonly backend: Backend;
  readonly registry: OpRegistry;
  /** Creates a backend for this case only, which the case disposes. */
  fresh(): Promise<Backend>;
  /** Parses a program and functionalizes it as the runtime does, if the backend needs that. */
  program(text: string): Program;
  /** Compiles a program in text form on the shared backend; the executable is disposed after the case. */
  compile(text: string, weights?: readonly WeightTensor[], signal?: AbortSignal): Promise<Executable>;
}
