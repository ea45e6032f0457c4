import { isShared, withSharedMemory } from "../threads/shared-import.ts";
import { wasmError } from "../wasm-errors.ts";

/** A function that a kernel's module exports. */
export type KernelFunction = (...args: readonly (number | bigint)[]) => unknown;

/**
 * Compiles the WebAssembly module of a kernel over a model's memory, and returns its exports. A module that would use
 * memory which is not its own is refused: in a model's memory lie tensors only.
 */
export function kernelModule(bytes: Uint8Array, memory: WebAssembly.Memory): WebAssembly.Exports {
  let module: WebAssembly.Module;
  try {
    module = new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
  } catch (cause) {
    throw refused(`does not compile: ${messageOf(cause)}`, "Give `module` the bytes of a WebAssembly module.", cause);
  }
  const imports = WebAssembly.Module.imports(module);
  const foreign = imports.find(({ module, name, kind }) => `${module}.${name} ${kind}` !== "env.memory memory");
  if (foreign !== undefined) {
    throw refused(
      `imports ${foreign.module}.${foreign.name}, a ${foreign.kind}`,
      "It may import env.memory, and nothing else.",
    );
  }
  if (imports.length === 0) {
    throw refused("does not import env.memory", "Tensors lie there: asc has --importMemory, wasm-ld --import-memory.");
  }
  const state = stateOf(bytes);
  if (state !== null) {
    throw refused(
      `has ${state}`,
      "What it keeps in memory would overwrite tensors. Write functions without strings, tables of numbers, allocations, and arrays on a stack.",
    );
  }
  try {
    const linked = isShared(memory) ? new WebAssembly.Module(withSharedMemory(bytes)) : module;
    return new WebAssembly.Instance(linked, { env: { memory } }).exports;
  } catch (cause) {
    throw refused(
      `cannot be linked: ${messageOf(cause)}`,
      "Its memory is one of 32-bit addresses that is not shared, starts with few pages, and has no maximum.",
      cause,
    );
  }
}

/** Returns a function of a module that takes this many arguments. */
export function kernelFunction(exports: WebAssembly.Exports, name: string, count: number): KernelFunction {
  const found = Object.hasOwn(exports, name) ? exports[name] : undefined;
  if (typeof found !== "function") {
    const known = Object.entries(exports).flatMap(([name, value]) => (typeof value === "function" ? name : []));
    throw refused(`exports no function ${name}`, `It has ${known.join(", ") || "none"}.`);
  }
  if (found.length !== count) {
    throw refused(
      `has ${name} of ${found.length} parameters, which is called with ${count} arguments`,
      "Give each one.",
    );
  }
  return found as KernelFunction;
}

function refused(what: string, advice: string, cause?: unknown): Error {
  return wasmError("wasm.kernel-module", { what: `The WebAssembly module of a kernel ${what}`, advice, cause });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

const [GLOBAL, START, DATA] = [6, 8, 11];

/** Returns what a module writes to memory, or where it keeps a place in it; null if there is neither. */
function stateOf(bytes: Uint8Array): string | null {
  const reader = new Reader(bytes, 8);
  while (!reader.done) {
    const id = reader.byte();
    const end = reader.unsigned() + reader.at;
    if (id === START) return "a start function";
    if (id === DATA && reader.unsigned() > 0) return "data segments";
    if (id === GLOBAL && hasMutable(reader)) return "a mutable global, such as the top of a stack or of a heap";
    reader.at = end;
  }
  return null;
}

/** Whether one of the globals of a section is mutable, or is initialized in a way that is not known here. */
function hasMutable(reader: Reader): boolean {
  for (let count = reader.unsigned(); count > 0; count--) {
    reader.byte(); // its type
    if (reader.byte() !== 0 || !skipConstant(reader)) return true;
  }
  return false;
}

/** The bytes of an instruction's operand: -1 for a LEB128 number. */
const OPERANDS: ReadonlyMap<number, number> = new Map([
  [0x41, -1], // i32.const
  [0x42, -1], // i64.const
  [0x43, 4], // f32.const
  [0x44, 8], // f64.const
  [0xfd, 17], // v128.const
]);

function skipConstant(reader: Reader): boolean {
  const operand = OPERANDS.get(reader.byte());
  if (operand === undefined) return false;
  if (operand < 0) reader.unsigned();
  else reader.at += operand;
  return reader.byte() === 0x0b;
}

/** Reads a module that is known to be valid. */
class Reader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  get done(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.at++]!;
  }

  /** Reads a LEB128 number; only its length matters of one beyond 32 bits. */
  unsigned(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }
}
