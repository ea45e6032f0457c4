import type { Crc32 } from "../byte-source.ts";

/** The bytes that one step processes. */
const STEP = 16;
/** One table for each byte of a step, in reverse order. Signed, because engines compute with signed 32-bit integers. */
const TABLES: Int32Array = makeTables();

function makeTables(): Int32Array {
  const tables = new Int32Array(STEP * 256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    tables[n] = c;
  }
  for (let i = 256; i < tables.length; i++) {
    const before = tables[i - 256]!;
    tables[i] = tables[before & 0xff]! ^ (before >>> 8);
  }
  return tables;
}

/** Computes {@link Crc32} in JavaScript. */
export const crc32: Crc32 = (bytes, crc = 0) => {
  const aligned = Math.min(-bytes.byteOffset & 3, bytes.byteLength);
  const steps = Math.floor((bytes.byteLength - aligned) / STEP);
  let c = byBytes(bytes, 0, aligned, ~crc);
  if (steps > 0) c = bySteps(new Int32Array(bytes.buffer, bytes.byteOffset + aligned, steps * (STEP / 4)), c);
  return ~byBytes(bytes, aligned + steps * STEP, bytes.byteLength, c) >>> 0;
};

function byBytes(bytes: Uint8Array, start: number, end: number, crc: number): number {
  let c = crc;
  for (let i = start; i < end; i++) c = TABLES[(c ^ bytes[i]!) & 0xff]! ^ (c >>> 8);
  return c;
}

/** Reads words as little-endian, since JavaScript engines run only on such machines. */
function bySteps(words: Int32Array, crc: number): number {
  const t = TABLES;
  let c = crc;
  for (let i = 0; i < words.length; i += 4) {
    const a = c ^ words[i]!;
    const b = words[i + 1]!;
    const d = words[i + 2]!;
    const e = words[i + 3]!;
    c =
      t[3840 + (a & 0xff)]! ^
      t[3584 + ((a >>> 8) & 0xff)]! ^
      t[3328 + ((a >>> 16) & 0xff)]! ^
      t[3072 + (a >>> 24)]! ^
      t[2816 + (b & 0xff)]! ^
      t[2560 + ((b >>> 8) & 0xff)]! ^
      t[2304 + ((b >>> 16) & 0xff)]! ^
      t[2048 + (b >>> 24)]! ^
      t[1792 + (d & 0xff)]! ^
      t[1536 + ((d >>> 8) & 0xff)]! ^
      t[1280 + ((d >>> 16) & 0xff)]! ^
      t[1024 + (d >>> 24)]! ^
      t[768 + (e & 0xff)]! ^
      t[512 + ((e >>> 8) & 0xff)]! ^
      t[256 + ((e >>> 16) & 0xff)]! ^
      t[e >>> 24]!;
  }
  return c;
}
