import { describe, expect, test } from "vitest";
import { hoistConstants } from "./hoist-constants.ts";

const vector = (byte: number): number[] => [0xfd, 0x0c, ...new Array(15).fill(1), byte];
const add = [0xfd, 0xe4, 0x01];
/** Adds constants to the memory's first vector, again and again until a number of passes is over. */
const loop = (...constants: readonly number[][]): number[] => [
  ...[0x03, 0x40, 0x41, 0x00, 0x41, 0x00, 0xfd, 0x00, 0x04, 0x00],
  ...constants.flatMap((constant) => [...constant, ...add]),
  ...[0xfd, 0x0b, 0x04, 0x00],
  ...[0x20, 0x00, 0x41, 0x01, 0x6b, 0x22, 0x00, 0x0d, 0x00, 0x0b],
];

/** A module with one function of a number, exported as `f`, that may have a local of its own. */
function moduleOf(body: readonly number[], locals: readonly number[] = [0x00]): Uint8Array<ArrayBuffer> {
  const section = (id: number, bytes: readonly number[]): number[] => [id, ...leb(bytes.length), ...bytes];
  const code = [...locals, ...body, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [0x01, 0x60, 0x01, 0x7f, 0x00]),
    ...section(3, [0x01, 0x00]),
    ...section(5, [0x01, 0x00, 0x01]),
    ...section(7, [0x02, 0x01, 0x66, 0x00, 0x00, 0x01, 0x6d, 0x02, 0x00]),
    ...section(10, [0x01, ...leb(code.length), ...code]),
  ]);
}

const leb = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >> 7)]);

/** The first vector of memory, as integers, after a call with so many passes. */
async function after(module: Uint8Array<ArrayBuffer>, passes: number): Promise<number[]> {
  const { instance } = await WebAssembly.instantiate(module);
  const { f, m } = instance.exports as { f(passes: number): void; m: WebAssembly.Memory };
  f(passes);
  return [...new Uint8Array(m.buffer, 0, 16)];
}

const countOf = (module: Uint8Array): number =>
  module.filter((byte, i) => byte === 0xfd && module[i + 1] === 0x0c).length;

describe("hoistConstants", () => {
  test("sets a local for each constant of a loop, before it", async () => {
    for (const locals of [[0x00], [0x01, 0x02, 0x7e]]) {
      const module = moduleOf(loop(vector(2), vector(3), vector(2)), locals);
      const hoisted = Uint8Array.from(hoistConstants(module));
      expect([countOf(module), countOf(hoisted), hoisted.length < module.length]).toEqual([3, 2, true]);
      expect(await after(hoisted, 5)).toEqual(await after(module, 5));
    }
  });

  test("sets them before the outermost loop, and for each of several", async () => {
    const nested = [0x03, 0x40, ...loop(vector(2)), 0x0b];
    const module = moduleOf([...nested, 0x41, 0x02, 0x21, 0x00, ...loop(vector(2), vector(5))]);
    const hoisted = Uint8Array.from(hoistConstants(module));
    const at = hoisted.findIndex((byte, i) => byte === 0x03 && hoisted[i + 1] === 0x40);
    expect(countOf(hoisted.subarray(0, at))).toBe(1);
    expect(await after(hoisted, 3)).toEqual(await after(module, 3));
  });

  test("leaves constants outside of loops, those that take one instruction, and other modules as they are", () => {
    const zeros = [0xfd, 0x0c, ...new Array(16).fill(0)];
    for (const body of [[...vector(2), 0x1a], loop(zeros), [0x01]]) {
      expect(hoistConstants(moduleOf(body))).toEqual(moduleOf(body));
    }
  });
});
