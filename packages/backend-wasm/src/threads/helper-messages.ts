/** A message to a helper: what it needs to make the calls of a model's steps. */
export type ToHelper =
  | { readonly kind: "model"; readonly model: number; readonly memory: WebAssembly.Memory }
  | { readonly kind: "forget"; readonly model: number }
  /** A function that no step calls any more, and its module where that was the last one of it. */
  | { readonly kind: "drop"; readonly model: number; readonly index: number; readonly module: number | null }
  | {
      readonly kind: "module";
      readonly model: number;
      readonly module: number;
      readonly code: WebAssembly.Module;
    }
  | {
      readonly kind: "function";
      readonly model: number;
      readonly index: number;
      readonly module: number;
      readonly name: string;
    };

/** A started helper, whichever kind of thread the platform has. */
export interface HelperHandle {
  post(message: ToHelper): void;
  terminate(): void;
}

/**
 * Starts a thread that runs `help` with this shared memory, as the helper of this number; it calls `failed` when its
 * script cannot be loaded. It must not keep the process alive.
 */
export type StartHelper = (board: SharedArrayBuffer, helper: number, failed: (error: unknown) => void) => HelperHandle;
