import { loading } from "@pt2/registry/on-demand";
import { keyOf } from "@pt2/registry/scalar";
import { isShared } from "../threads/shared-import.ts";
import { ALONE, type Team } from "../threads/team.ts";
import { wasmError } from "../wasm-errors.ts";
import { encodeModule, type FunctionBody } from "./encoder.ts";
import { elementwiseKernel } from "./kernel.ts";
import { nanosecondsEach } from "./kernel-cost.ts";
import { representation } from "./lanes.ts";
import { helperFunction, IMPORTS, MATH } from "./math-imports.ts";
import type { ElementwiseSpec } from "./step.ts";

/** A generated function. Sizes are not part of it: each run passes them in a block. */
export interface ElementwiseKernel {
  readonly spec: ElementwiseSpec;
  /** What one element takes, roughly, in nanoseconds. */
  readonly nanoseconds: number;
  /**
   * Computes `count` elements of the block's iteration space, in its order, from element `start` on. Compiles first
   * what is not compiled yet. Throws `wasm.divide-by-zero` for an integer division by zero; the outputs are then
   * undefined.
   */
  run(block: number, start: number, count: number): void;
}

/**
 * Collects fused groups and compiles them, many to a module. Equal groups are one kernel, also across builds, as long
 * as it is referenced.
 *
 * ```ts
 * const geometry = coalesce(shape, [...inputStrides, ...outputStrides], inputs.length);
 * const { outputs, numbers } = liftNumbers(exprs.map(simplify), inputs.length);
 * const kernel = compiler.add({ inputs, outputs, inner: innerModes(geometry, dtypes), numbers: numbers.map(({ dtype }) => dtype) });
 * writeBlock(words, block, newBlock(geometry, dtypes, numbers), pointers); // blockBytes(geometry, numbers.length) bytes
 * kernel.run(block, 0, elements);
 * ```
 *
 * An output may lie exactly in the place of an input that has its dtype size and strides; they must not overlap otherwise.
 */
export interface ElementwiseCompiler {
  /** Throws `wasm.elementwise-dtype` for a dtype that generated code does not know. */
  add(spec: ElementwiseSpec): ElementwiseKernel;
  /** Compiles what was added since the last build. Throws `NotLoaded` for functions that load on demand. */
  build(): void;
  /** Compiles the same, and loads what it needs. The thread of a page is not blocked. */
  buildAsync(): Promise<void>;
}

/**
 * The number of kernels of a module: they share what a module takes besides code, and what a module is made of is
 * garbage before the next.
 */
const BATCH = 256;

type Run = (block: number, start: number, count: number) => void;

interface Entry {
  readonly kernel: ElementwiseKernel;
  readonly name: string;
  run?: Run;
}

/** Creates a compiler of kernels over `memory`, which the threads of `team` share. */
export function createElementwiseCompiler(memory: WebAssembly.Memory, team: Team = ALONE): ElementwiseCompiler {
  // A plan holds its kernels. A kernel that no plan holds may be collected, with its code.
  const entries = new Map<string, WeakRef<Entry>>();
  let sweepAt = 256;
  let named = 0;
  const imports = { env: { memory }, math: MATH as WebAssembly.ModuleImports };
  const shared = isShared(memory);
  let pending: Entry[] = [];

  const encode = (batch: readonly Entry[]): Uint8Array<ArrayBuffer> => {
    const functions: FunctionBody[] = [];
    const helpers = new Map<string, number>();
    const append = (body: FunctionBody): number => IMPORTS.length + functions.push(body) - 1;
    const callee = (name: string): number => {
      const index = helpers.get(name) ?? append(helperFunction(name, callee));
      helpers.set(name, index);
      return index;
    };
    for (const { kernel, name } of batch) append(elementwiseKernel(kernel.spec, name, callee));
    return encodeModule(IMPORTS, functions, { shared, maximum: 65536 });
  };
  const link = (batch: readonly Entry[], code: WebAssembly.Module, { exports }: WebAssembly.Instance): void => {
    for (const entry of batch) entry.run ??= team.shared(code, entry.name, exports[entry.name] as Run);
  };
  const batches = (): readonly (readonly Entry[])[] =>
    Array.from({ length: Math.ceil(pending.length / BATCH) }, (_, i) => pending.slice(BATCH * i, BATCH * (i + 1)));
  const build = (): void => {
    for (const batch of batches()) {
      const code = new WebAssembly.Module(encode(batch));
      link(batch, code, new WebAssembly.Instance(code, imports));
    }
    pending = [];
  };

  return {
    add(spec) {
      check(spec);
      const key = `${spec.inputs} ${spec.numbers} ${spec.inner} ${spec.isComplex ?? false} ${keyOf(...spec.outputs)}`;
      const known = entries.get(key)?.deref();
      if (known) return known.kernel;
      const kernel: ElementwiseKernel = {
        spec,
        nanoseconds: nanosecondsEach(spec),
        run(block, start, count) {
          if (entry.run === undefined) build();
          try {
            entry.run?.(block, start, count);
          } catch (cause) {
            throw explainTrap(cause);
          }
        },
      };
      const entry: Entry = { kernel, name: `k${named++}` };
      entries.set(key, new WeakRef(entry));
      pending.push(entry);
      if (entries.size >= sweepAt) {
        for (const [of, ref] of entries) if (ref.deref() === undefined) entries.delete(of);
        sweepAt = Math.max(256, 2 * entries.size);
      }
      return kernel;
    },
    build,
    async buildAsync() {
      for (const batch of batches()) {
        const bytes = await loading(() => encode(batch));
        const { module, instance } = await instantiate(bytes, imports);
        link(batch, module, instance);
      }
      pending = pending.filter((entry) => entry.run === undefined);
    },
  };
}

/**
 * Compiles and links a module. Browsers limit what the thread of a page may compile synchronously; every other thread does
 * just that. WebKit may forget to wake a worker when a module is compiled that it waits for: if nothing else is sent to
 * the worker, it waits forever (WebKitGTK 2.50 on a busy machine: about once in ten thousand modules).
 */
async function instantiate(
  bytes: Uint8Array<ArrayBuffer>,
  imports: WebAssembly.Imports,
): Promise<WebAssembly.WebAssemblyInstantiatedSource> {
  if ("document" in globalThis) return await WebAssembly.instantiate(bytes, imports);
  const module = new WebAssembly.Module(bytes);
  return { module, instance: new WebAssembly.Instance(module, imports) };
}

function check(spec: ElementwiseSpec): void {
  for (const dtype of [...spec.inputs, ...spec.outputs.map((output) => output.dtype)]) {
    if (representation(dtype) !== undefined) continue;
    throw wasmError("wasm.elementwise-dtype", {
      what: `Elementwise kernels are not generated for ${dtype}`,
      advice: "Cast to float32 or int64 first.",
    });
  }
}

/** Turns the traps of integer division, in the words of each engine, into errors. */
export function explainTrap(cause: unknown): unknown {
  if (!(cause instanceof WebAssembly.RuntimeError)) return cause;
  if (/(?:divi\w*|remainder) by (?:zero|0)/i.test(cause.message)) {
    return wasmError("wasm.divide-by-zero", {
      what: "An integer was divided by zero",
      advice: "PyTorch raises ZeroDivisionError here too; guard the divisor, or divide as floats.",
      cause,
    });
  }
  if (!/unrepresentable|overflow/i.test(cause.message)) return cause;
  return wasmError("wasm.integer-overflow", {
    what: "The smallest integer was divided by -1, and the dtype cannot represent the result",
    advice: "PyTorch crashes or wraps here, depending on the processor; guard the dividend.",
    cause,
  });
}
