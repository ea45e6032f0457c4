import { unsigned } from "../codegen/encoder.ts";
import { LIMITS } from "../engine/limits.ts";

const IMPORTS = 2;
const MEMORY = 2;
const HAS_MAXIMUM = 1;
const SHARED = 2;

/**
 * Returns the module such that it takes a shared memory in place of one that is not: WebAssembly wants the import to say
 * so, and how large the memory may become. Code is the same for both. `bytes` are those of a valid module that imports
 * one memory of 32-bit addresses.
 */
export function withSharedMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { start, end, content, flags, limitsEnd } = findImport(bytes);
  const stated = [...bytes.subarray(flags + 1, limitsEnd)];
  const most = bytes[flags]! & HAS_MAXIMUM ? [] : unsigned(LIMITS.memoryBytes / 65536);
  const limits = [HAS_MAXIMUM | SHARED, ...stated, ...most];
  const entries = [...bytes.subarray(content, flags), ...limits, ...bytes.subarray(limitsEnd, end)];
  const section = [IMPORTS, ...unsigned(entries.length), ...entries];
  const out = new Uint8Array(start + section.length + bytes.length - end);
  out.set(bytes.subarray(0, start));
  out.set(section, start);
  out.set(bytes.subarray(end), start + section.length);
  return out;
}

/** Whether several threads share a memory. Browsers that are not cross-origin isolated have no SharedArrayBuffer. */
export function isShared({ buffer }: WebAssembly.Memory): boolean {
  return buffer.constructor.name === "SharedArrayBuffer";
}

/** Where the section of imports lies, and in it the limits of the memory. */
function findImport(bytes: Uint8Array): {
  readonly start: number;
  readonly end: number;
  readonly content: number;
  readonly flags: number;
  readonly limitsEnd: number;
} {
  let at = 8;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const skipText = (): void => {
    const length = number();
    at += length;
  };
  while (at < bytes.length) {
    const start = at;
    const id = bytes[at++]!;
    const length = number();
    const content = at;
    const end = at + length;
    if (id === IMPORTS) {
      for (let count = number(); count > 0; count--) {
        skipText();
        skipText();
        const kind = bytes[at++]!;
        if (kind !== MEMORY) {
          number();
          continue;
        }
        const flags = at++;
        number();
        if (bytes[flags]! & HAS_MAXIMUM) number();
        return { start, end, content, flags, limitsEnd: at };
      }
    }
    at = end;
  }
  throw new RangeError("the module imports no memory");
}
