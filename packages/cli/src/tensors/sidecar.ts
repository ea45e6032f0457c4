import { readFile } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import { usageError } from "../cli-errors.ts";

/** A value that is not a tensor. */
export type Scalar = number | bigint | boolean | string | null;

/** Non-tensor leaves of one call, by position. */
export interface CallScalars {
  readonly inputs: ReadonlyMap<string, Scalar>;
  readonly outputs: ReadonlyMap<string, Scalar>;
}

/**
 * Reads the JSON file beside a tensor file: `NAME.json` for `NAME.inputs.safetensors`, with `calls`, each with
 * `non_tensor_inputs` and `non_tensor_outputs` by position. Other JSON of that name is ignored.
 */
export async function readSidecar(tensorFile: string): Promise<readonly CallScalars[]> {
  const base = parse(tensorFile).name.replace(/\.inputs$/, "");
  const text = await readFile(join(dirname(tensorFile), `${base}.json`), "utf8").catch(() => "null");
  const calls = callsOf(text);
  return calls.map((call) => ({ inputs: scalars(call.non_tensor_inputs), outputs: scalars(call.non_tensor_outputs) }));
}

type RawCall = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

function callsOf(text: string): readonly RawCall[] {
  try {
    const document = JSON.parse(text) as { readonly calls?: unknown } | null;
    return Array.isArray(document?.calls) ? (document.calls as RawCall[]) : [];
  } catch {
    return [];
  }
}

function scalars(values: Readonly<Record<string, unknown>> | undefined): ReadonlyMap<string, Scalar> {
  return new Map(Object.entries(values ?? {}).filter((entry): entry is [string, Scalar] => isScalar(entry[1])));
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value !== "object";
}

/**
 * Parses `NAME=VALUE`: numbers, `true`, `false`, `null` and Python's spellings of them; any other value is a string.
 */
export function parseScalars(texts: readonly string[]): ReadonlyMap<string, Scalar> {
  return new Map(
    texts.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw usageError(`--scalar takes NAME=VALUE, not "${text}"`);
      return [text.slice(0, at), parseScalar(text.slice(at + 1))] as const;
    }),
  );
}

const WORDS: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["none", null],
  ["inf", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["nan", Number.NaN],
]);

function parseScalar(text: string): Scalar {
  const word = WORDS.get(text.toLowerCase());
  if (word !== undefined) return word;
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
