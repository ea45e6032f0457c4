// A heap for the kernel tests: arrays are copied to aligned addresses and are read back after a call.
import { setFlagsFromString } from "node:v8";
import { randomFloats, randomUnit } from "@pt2/testing/random";
import { LAYOUT_BYTES } from "./engine/strided-copy.ts";
import { type PlanarKernels, kernelsBase64 as planarPlain } from "./kernels/conv/planar-plain.gen.ts";
import { kernelsBase64 as planarRelaxed } from "./kernels/conv/planar-relaxed.gen.ts";
import { type CopyKernels, kernelsBase64 as copies } from "./kernels/copy/copies.gen.ts";
import { type NarrowKernels, kernelsBase64 as narrowPlain } from "./kernels/matmul/narrow-plain.gen.ts";
import { kernelsBase64 as narrowRelaxed } from "./kernels/matmul/narrow-relaxed.gen.ts";
import { type ProductKernels, kernelsBase64 as products } from "./kernels/matmul/products.gen.ts";
import { type OrderKernels, kernelsBase64 as ordering } from "./kernels/sort/ordering.gen.ts";
import type { Kernels, Pointer } from "./kernels.gen.ts";
import { kernelsBase64 as plain } from "./kernels-plain.gen.ts";
import { kernelsBase64 as relaxed4 } from "./kernels-relaxed4.gen.ts";
import { kernelsBase64 as relaxed6 } from "./kernels-relaxed6.gen.ts";

/** A build of the kernels. Every Node that is supported can run them all: 20 has relaxed SIMD behind a flag. */
export type Build = "plain" | "relaxed4" | "relaxed6";
export const BUILDS: readonly Build[] = ["plain", "relaxed4", "relaxed6"];

const MODULES: Readonly<Record<Build, string>> = { plain, relaxed4, relaxed6 };
if (!WebAssembly.validate(Buffer.from(relaxed4, "base64"))) setFlagsFromString("--experimental-wasm-relaxed-simd");

type AllKernels = Kernels & ProductKernels & PlanarKernels & OrderKernels & NarrowKernels;

/** The kernels over a memory of their own. Every block is followed by a guard that `intact` checks. */
export interface Testbed {
  /** All copies, which are a module of their own. */
  readonly copies: CopyKernels;
  readonly kernels: AllKernels;
  readonly memory: WebAssembly.Memory;
  /** Copies `data` into the heap. */
  put(data: Float32Array | Uint8Array): Pointer;
  /** Allocates a block of `length` floats that holds NaN. */
  room(length: number): Pointer;
  /** Copies `length` floats from `address`. */
  floats(address: Pointer, length: number): Float32Array;
  /** Copies `length` 32-bit integers from `address`. */
  ints(address: Pointer, length: number): Int32Array;
  /** Copies `length` bytes from `address`. */
  bytes(address: Pointer, length: number): Uint8Array;
  /** Whether no kernel wrote past the end of a block, or to memory of its own, which several threads would share. */
  intact(): boolean;
  /** Forgets all blocks. */
  clear(): void;
}

const PAGE = 65536;
const GUARD = 64;
/** Compilers put what a module keeps into the first page. */
const UNTOUCHED = Buffer.alloc(PAGE);

/** Instantiates the kernels with `pages` pages of memory, of which blocks begin at `start`. */
export function testbed(
  pages = 1024,
  { start = PAGE, build = "plain" }: { readonly start?: Pointer; readonly build?: Build } = {},
): Testbed {
  const memory = new WebAssembly.Memory({ initial: pages });
  const suited = build === "plain" ? [planarPlain, narrowPlain] : [planarRelaxed, narrowRelaxed];
  const exports = [MODULES[build], products, ordering, ...suited].map((base64) => {
    const module = new WebAssembly.Module(Buffer.from(base64, "base64"));
    return new WebAssembly.Instance(module, { env: { memory } }).exports;
  });
  const kernels = Object.assign({}, ...exports) as AllKernels;
  let top = start;
  let guards: number[] = [];
  const allocate = (bytes: number): Pointer => {
    const address = top;
    guards.push(address + bytes);
    top = Math.ceil((address + bytes + GUARD) / 64) * 64;
    new Uint8Array(memory.buffer, address + bytes, GUARD).fill(0xa5);
    return address;
  };
  const { exports: all } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(copies, "base64")), {
    env: { memory },
  });
  return {
    kernels,
    copies: all as unknown as CopyKernels,
    memory,
    put(data) {
      const address = allocate(data.byteLength);
      new Uint8Array(memory.buffer, address).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      return address;
    },
    room(length) {
      const address = allocate(length * 4);
      new Float32Array(memory.buffer, address, length).fill(Number.NaN);
      return address;
    },
    floats: (address, length) => new Float32Array(memory.buffer, address, length).slice(),
    ints: (address, length) => new Int32Array(memory.buffer, address, length).slice(),
    bytes: (address, length) => new Uint8Array(memory.buffer, address, length).slice(),
    intact: () =>
      UNTOUCHED.equals(new Uint8Array(memory.buffer, 0, PAGE)) &&
      guards.every((at) => new Uint8Array(memory.buffer, at, GUARD).every((byte) => byte === 0xa5)),
    clear() {
      top = start;
      guards = [];
    },
  };
}

/** Kernels as a step calls them whose parts are handed out. */
export interface NotedCalls {
  readonly module: Pick<Testbed, "kernels" | "memory">;
  /** Notes the calls of `work`, and makes them when it has returned. */
  run(work: () => void): void;
}

/** Kernels that compute at once, but for the calls that are noted. */
export function notedCalls({ kernels, memory }: Testbed): NotedCalls {
  let notes: (() => void)[] | null = null;
  const noted = Object.entries(kernels).map(([name, run]: [string, (...args: number[]) => unknown]) => {
    const call = (...args: number[]): unknown => (notes === null ? run(...args) : void notes.push(() => run(...args)));
    return [name, call];
  });
  return {
    module: { kernels: Object.fromEntries(noted) as Testbed["kernels"], memory },
    run(work) {
      const calls: (() => void)[] = [];
      notes = calls;
      work();
      notes = null;
      for (const call of calls) call();
    },
  };
}

/** Puts the layout of a copy into the heap, with the scratch behind it. */
export function putLayout(bed: Testbed, layout: Int32Array): Pointer {
  const bytes = new Uint8Array(LAYOUT_BYTES);
  bytes.set(new Uint8Array(layout.buffer));
  return bed.put(bytes);
}

/** A deterministic source of floats in [-1, 1) and of integers below a bound. */
export interface Random {
  floats(length: number): Float32Array;
  below(bound: number): number;
}

/** Makes a source that gives the same numbers in every run. */
export function random(seed: number): Random {
  const next = randomUnit(seed);
  return { floats: (length) => randomFloats(next, length), below: (bound) => Math.floor(next() * bound) };
}
