import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { viewAs } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { fromBytes, numel, readSafetensors } from "@pt2/format";
import { type LoadOptions, load, type Model, tensor } from "@pt2/runtime/node";
import { recordedFile } from "@pt2/testing/recorded-file";
import { expect } from "vitest";
import { difference, type Leaf } from "./difference.ts";

const FOLDER = new URL("../fixtures/", import.meta.url);

/** One call with PyTorch's results. */
export interface RecordedCall {
  /** The leaves of the inputs in flattened order. */
  readonly inputs: readonly Leaf[];
  readonly expected: readonly Leaf[];
}

interface Sidecar {
  readonly calls: readonly {
    readonly non_tensor_inputs: Readonly<Record<string, Leaf>>;
    readonly non_tensor_outputs: Readonly<Record<string, Leaf>>;
    readonly outputs: number;
  }[];
}

/** Returns the path of a fixture's file: `fixturePath("torch-2.13/mlp.pt2")`. */
export function fixturePath(name: string): string {
  return fileURLToPath(new URL(name, FOLDER));
}

/** Folders of programs that have tests of their own. */
const APART: ReadonlySet<string> = new Set(["refused", "shared-storage", "torchvision"]);

/** Lists the names of all fixtures that can be run, such as `torch-2.13/mlp`. */
export function fixtureNames(): readonly string[] {
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !APART.has(entry.name),
  );
  return folders
    .flatMap(({ name }) => readdirSync(new URL(name, FOLDER)).map((file) => `${name}/${file}`))
    .filter((path) => path.endsWith(".pt2"))
    .map((path) => path.slice(0, -".pt2".length));
}

/** Reads what was recorded for a `.pt2` file; `path` is without that ending. */
export async function readCalls(path: string): Promise<readonly RecordedCall[]> {
  const [inputs, expected] = await Promise.all([
    readTensors(recordedFile(path, "inputs")),
    readTensors(recordedFile(path, "expected")),
  ]);
  const { calls } = JSON.parse(await readFile(`${path}.json`, "utf8")) as Sidecar;
  return calls.map((call, i) => {
    const prefix = i === 0 ? "" : `call${i}.`;
    return {
      inputs: leavesOf(inputs, prefix, call.non_tensor_inputs),
      expected: leavesOf(expected, prefix, call.non_tensor_outputs),
    };
  });
}

/** Loads a fixture with the backend on the calling thread. */
export function loadFixture(name: string, options: Partial<LoadOptions> = {}): Promise<Model> {
  return load(fixturePath(`${name}.pt2`), { backend: wasm({ worker: false }), ...options });
}

/**
 * These exporters wrote the hidden states of a bidirectional LSTM as [4, 1, 2, 7], and `torch.export.load` of the file
 * gives that shape too. The recorded result is PyTorch's eager one, [4, 2, 7] with the same elements.
 */
const WRITTEN_OTHERWISE: ReadonlySet<string> = new Set(["torch-2.6/lstm_aten", "torch-2.8/lstm_aten"]);

/** Returns the recorded elements in the shape of the result, where they fit it. */
function reshaped(recorded: Leaf, actual: unknown): Leaf {
  const { shape } = (actual ?? {}) as { readonly shape?: readonly number[] };
  if (typeof recorded !== "object" || recorded === null || shape === undefined) return recorded;
  const count = numel(shape);
  return count === recorded.data.length ? tensor(recorded.dtype, shape, recorded.data) : recorded;
}

/** Makes every recorded call of a fixture in order, and expects PyTorch's results: number, dtype, shape and values. */
export async function expectFixture(name: string, options: Partial<LoadOptions> = {}): Promise<void> {
  const calls = await readCalls(fixturePath(name));
  await using model = await loadFixture(name, options);
  const problems: string[] = [];
  for (const [at, { inputs, expected }] of calls.entries()) {
    const actual = await model.runFlat(inputs);
    if (actual.length !== expected.length)
      problems.push(`call ${at}: ${actual.length} outputs, not ${expected.length}`);
    expected.forEach((leaf, i) => {
      const problem = difference(actual[i] as Leaf, WRITTEN_OTHERWISE.has(name) ? reshaped(leaf, actual[i]) : leaf);
      if (problem !== null) problems.push(`call ${at}, output ${i}: ${problem}`);
    });
  }
  expect(problems).toEqual([]);
}

async function readTensors(path: string): Promise<ReadonlyMap<string, Leaf>> {
  const { tensors } = await readSafetensors(fromBytes(new Uint8Array(await readFile(path))));
  return new Map(
    [...tensors].map(([key, { dtype, shape, bytes }]) => [key, tensor(dtype, shape, viewAs(dtype, bytes))]),
  );
}

function leavesOf(tensors: ReadonlyMap<string, Leaf>, prefix: string, others: Readonly<Record<string, Leaf>>): Leaf[] {
  const leaves: Leaf[] = [];
  for (const [key, value] of tensors) {
    const position = key.slice(prefix.length);
    if (key.startsWith(prefix) && /^\d+$/.test(position)) leaves[Number(position)] = value;
  }
  for (const [position, value] of Object.entries(others)) leaves[Number(position)] = value;
  return leaves;
}
