import { formatError } from "../format-errors.ts";
import { checkLimit } from "../limits.ts";
import type { Int } from "../program/exported-program.ts";

/** A JSON value, in which integers of 16 digits and more are strings that begin with {@link LONG}. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Marks a string that holds an integer too long for a double; JSON text cannot contain this character unescaped. */
const LONG = "\0";
const SAFE_DIGITS = 16;

/**
 * Parses JSON without losing integers: one pass over the bytes finds long integers and bounds the nesting, then the
 * engine's own parser runs on the text with those integers quoted. So are the bare `NaN` and `Infinity` that Python
 * writes (torch 2.6 does), which become the strings that later files have.
 */
export function parseJson(bytes: Uint8Array, entry: string): Json {
  checkLimit("jsonBytes", bytes.byteLength, entry);
  const tokens = scan(bytes, entry);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    if (tokens.length === 0) return JSON.parse(decoder.decode(bytes)) as Json;
    const pieces: string[] = [];
    let done = 0;
    for (const [start, end] of tokens) {
      const token = String.fromCharCode(...bytes.subarray(start, Math.min(end, start + LONGEST_TOKEN)));
      pieces.push(decoder.decode(bytes.subarray(done, start)), /\d$/.test(token) ? '"\\u0000' : '"', token, '"');
      done = end;
    }
    pieces.push(decoder.decode(bytes.subarray(done)));
    return JSON.parse(pieces.join("")) as Json;
  } catch (cause) {
    throw formatError("format.json", {
      what: `the entry is not valid JSON: ${cause instanceof Error ? cause.message : cause}`,
      where: entry,
      advice: "the file is damaged: save the program again",
      cause,
    });
  }
}

/** Returns byte ranges of tokens to quote: integers that a double may not hold, and numbers that JSON does not know. */
function scan(bytes: Uint8Array, entry: string): (readonly [number, number])[] {
  const tokens: (readonly [number, number])[] = [];
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > deepest) deepest = depth;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
    } else if (byte === MINUS || isDigit(byte) || byte === UPPER_I || byte === UPPER_N) {
      const start = at;
      while (at + 1 < bytes.length && isWord(bytes[at + 1]!)) at++;
      if (needsQuotes(bytes, start, at + 1)) tokens.push([start, at + 1]);
    }
  }
  checkLimit("jsonDepth", deepest, entry);
  return tokens;
}

/** Returns the position of the quote that ends the string begun at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] === BACKSLASH) at++;
  }
  return bytes.length;
}

const [QUOTE, BACKSLASH, MINUS, UPPER_I, UPPER_N] = [0x22, 0x5c, 0x2d, 0x49, 0x4e];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Products of four sizes that are only known to be of 64 bits have less digits. */
const LONGEST_TOKEN = 96;

function needsQuotes(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[bytes[start] === MINUS ? start + 1 : start];
  if (first === UPPER_I || first === UPPER_N) return true;
  if (end - start < SAFE_DIGITS) return false;
  for (let at = start + 1; at < end; at++) if (!isDigit(bytes[at]!)) return false;
  return true;
}

/** Returns whether a byte may follow in a number or in `-Infinity`. */
function isWord(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x61 && byte <= 0x7a) || WORD_EXTRA.includes(byte);
}

/** `.`, `+`, `-`, `E`, `I`, `N` */
const WORD_EXTRA: readonly number[] = [0x2e, 0x2b, 0x2d, 0x45, 0x49, 0x4e];

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Returns the exact integer of a JSON value; undefined when it is not an integer of 64 bits. */
export function exactInt(value: Json | undefined): Int | undefined {
  const exact = pythonInt(value);
  return typeof exact === "bigint" && (exact < -(2n ** 63n) || exact >= 2n ** 64n) ? undefined : exact;
}

/** Returns the exact integer of a JSON value, which Python does not bound; undefined when it is not an integer, or very long. */
export function pythonInt(value: Json | undefined): Int | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== "string" || !value.startsWith(LONG) || value.length > LONGEST_TOKEN) return undefined;
  const text = value.slice(LONG.length);
  return /^-?\d+$/.test(text) ? normalizeInt(BigInt(text)) : undefined;
}

/** Returns a number where it is exact, else the bigint. */
export function normalizeInt(value: bigint): Int {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Converts long integers to bigints, for values whose schema is unknown. */
export function plainJson(value: Json): unknown {
  if (typeof value === "string") return pythonInt(value) ?? value;
  if (Array.isArray(value)) return value.map(plainJson);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainJson(item)]));
}
