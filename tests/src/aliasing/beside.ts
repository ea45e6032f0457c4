import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { viewAs } from "@pt2/backend";
import { archiveToBytes, DTYPES, type DType, parseProgram } from "@pt2/format";
import { type LoadOptions, load, tensor } from "@pt2/runtime/node";
import { difference, type Leaf } from "../difference.ts";
import { fixturePath } from "../fixture.ts";

/** A program that writes to a tensor beside a result made of it, and PyTorch's results. */
export interface BesideCase {
  readonly name: string;
  readonly inputs: readonly Leaf[];
  readonly expected: readonly Leaf[];
  /** The JSON of the program. */
  readonly program: string;
}

interface StoredTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: string;
}

const BY_SAFETENSORS = new Map(Object.entries(DTYPES).map(([name, info]) => [info.safetensors, name as DType]));

/** Reads the programs of a file of `tests/fixtures/aliasing`, which scripts/python/writes_beside.py writes. */
export function besideCases(file: string): readonly BesideCase[] {
  const lines = gunzipSync(readFileSync(fixturePath(`aliasing/${file}.json.gz`)))
    .toString("utf8")
    .split("\n");
  return lines.map((line) => {
    const stored = JSON.parse(line);
    return { ...stored, inputs: stored.inputs.map(leafOf), expected: stored.expected.map(leafOf) };
  });
}

function leafOf(stored: StoredTensor | Exclude<Leaf, object>): Leaf {
  if (typeof stored !== "object" || stored === null) return stored;
  const dtype = BY_SAFETENSORS.get(stored.dtype)!;
  return tensor(dtype, stored.shape, viewAs(dtype, new Uint8Array(Buffer.from(stored.data, "base64"))));
}

/** Describes what is wrong with the results of a program; null if nothing is. */
export async function besideDifference(
  given: BesideCase,
  {
    backend,
    precision = "fast",
  }: Pick<LoadOptions, "backend"> & { readonly precision?: LoadOptions["precision"] | undefined },
): Promise<string | null> {
  const program = parseProgram(new TextEncoder().encode(given.program), given.name);
  const archive = await archiveToBytes({ models: [{ program, weights: new Map() }] });
  await using model = await load(archive, { backend, precision });
  const actual = await model.runFlat(given.inputs);
  if (actual.length !== given.expected.length) return `${actual.length} outputs, not ${given.expected.length}`;
  for (const [i, expected] of given.expected.entries()) {
    const problem = difference(actual[i] as Leaf, expected);
    if (problem !== null) return `output ${i}: ${problem}`;
  }
  return null;
}
