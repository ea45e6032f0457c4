import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Backend, Value } from "@pt2/backend";
import { caseProgram, type OpCase } from "@pt2/conformance";
import { hostData } from "@pt2/engine/host";
import { DTYPES, type DType, numel } from "@pt2/format";
import type { OpRegistry } from "@pt2/registry";
import { fixturePath } from "../fixture.ts";

/** PyTorch's results of a call on the CPU: of each result its shape, a hash of its elements, and the first of them. */
export interface TieCase {
  readonly op: string;
  readonly args: OpCase["args"];
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly distinct: number;
  readonly what: string;
  readonly answers: readonly (readonly [readonly number[], number, readonly (number | string)[]])[];
}

type Row = [string, OpCase["args"], DType, number[], number, string, TieCase["answers"]];

/** Reads the calls of `tests/fixtures/ties.json.gz`, which scripts/python/ties.py writes. */
export function tieCases(): readonly TieCase[] {
  const rows: readonly Row[] = JSON.parse(gunzipSync(readFileSync(fixturePath("ties.json.gz"))).toString("utf8"));
  return rows.map(([op, args, dtype, shape, distinct, what, answers]) => ({
    op,
    args,
    dtype,
    shape,
    distinct,
    what,
    answers,
  }));
}

/** Describes what is wrong with the results of a call; null if nothing is. */
export async function tieDifference(
  { op, args, dtype, shape, distinct, what, answers }: TieCase,
  backend: Backend,
  registry: OpRegistry,
): Promise<string | null> {
  const bytes = drawn(dtype, shape, distinct, what);
  const opCase: OpCase = {
    op: `aten::${op}`,
    name: "",
    args: { self: { tensor: 0 }, ...args },
    tensors: [{ dtype, shape, data: Buffer.from(bytes).toString("base64") }],
    expected: answers.map(([sizes], i) => ({ dtype: i === 0 && !/^arg/.test(op) ? dtype : "int64", shape: sizes })),
  };
  const { program, weights, inputs } = caseProgram(opCase, "inputs", registry, backend.capabilities);
  const executable = await backend.compile({ program, weights, registry });
  try {
    const results = await executable.run(inputs);
    const texts = await Promise.all(results.map(textOf));
    const wanted = answers.map(([sizes, hash, first]) => `[${sizes}] ${hash}: ${first.map(numberOf)}`);
    return texts.join("; ") === wanted.join("; ") ? null : `${texts.join("; ")}, not ${wanted.join("; ")}`;
  } finally {
    await executable.dispose();
  }
}

function numberOf(text: number | string): number {
  return Number(String(text).replace("inf", "Infinity"));
}

async function textOf(value: Value): Promise<string> {
  if (typeof value !== "object" || value === null) return String(value);
  const { dtype, shape } = value;
  const data = await value.read();
  const bytes = await value.readBytes();
  const numbers = Array.from(data as ArrayLike<number | bigint>, Number);
  const isFloat = DTYPES[dtype].kind === "float";
  // All NaNs count as one.
  const bits =
    isFloat && numbers.some(Number.isNaN)
      ? hostData(
          { dtype, shape },
          numbers.map((x) => (Number.isNaN(x) ? Number.NaN : x)),
        ).bytes
      : bytes;
  return `[${shape}] ${hashOf(bits)}: ${numbers.slice(0, 6)}`;
}

const SPECIAL = [Number.NaN, 0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

function drawn(dtype: DType, shape: readonly number[], distinct: number, what: string): Uint8Array {
  const numbers = Array.from({ length: numel(shape) }, (_, i) => mixed(i) % distinct);
  if (what === "big") return new Uint8Array(BigInt64Array.from(numbers, (n) => 2n ** 60n + BigInt(n)).buffer);
  const isFloat = DTYPES[dtype].kind === "float";
  const element = (n: number): number => {
    if (what === "nan") return Number.NaN;
    if (!isFloat) return n;
    return what === "special" && n < 5 ? SPECIAL[n]! : (n - Math.floor(distinct / 2)) * 0.5;
  };
  return hostData({ dtype, shape }, numbers.map(element)).bytes;
}

/** Returns a number that depends on a position alone, as the script draws it. */
function mixed(place: number): number {
  let h = (Math.imul(place, 2654435761) + 12345) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 2246822519) >>> 0;
  h = Math.imul(h ^ (h >>> 13), 3266489917) >>> 0;
  return h >>> 8;
}

function hashOf(bytes: Uint8Array): number {
  let hash = 2166136261;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return hash;
}

/** Returns the name of a case in failures. */
export function nameOf({ op, args, dtype, shape, distinct, what }: TieCase): string {
  return `${op}(${dtype}[${shape}] of ${distinct} ${what}, ${JSON.stringify(args)})`;
}
