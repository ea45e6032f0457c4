import type { Tensors } from "@pt2/format";
import type { HostTensor, LeafInfo } from "@pt2/runtime";
import { cliError } from "../cli-errors.ts";
import type { OptionSpec } from "../command-syntax.ts";
import { toHostTensor } from "../report/host-tensor.ts";
import { parseScalars, readSidecar, type Scalar } from "./sidecar.ts";
import { readTensorFile, splitCalls } from "./tensor-file.ts";

/** The leaves of one call, in flattened order. */
export type Leaves = readonly (HostTensor | Scalar | undefined)[];

/** Options of commands that take inputs. */
export const INPUT_OPTIONS: readonly OptionSpec[] = [
  { name: "inputs", value: "IN", help: "tensors as .safetensors or .npz, by input name or position (0, 1, …)" },
  { name: "scalar", value: "NAME=VALUE", multiple: true, help: "an input that is not a tensor, by name or position" },
];

/** Documents tensor files in help texts. */
export const TENSOR_FILES_NOTE: string = [
  "One file may hold several calls, which are made in order: the first under plain names, the next ones under",
  "`call1.NAME`, `call2.NAME`, …  Inputs that are not tensors may stand in NAME.json beside NAME.inputs.safetensors, as",
  '{"calls": [{"non_tensor_inputs": {"1": 3}}]}.',
].join("\n");

/** Reads the calls of an inputs file, matched to a program's inputs. */
export async function readCalls(
  path: string,
  inputs: readonly LeafInfo[],
  scalarTexts: readonly string[] = [],
): Promise<readonly Leaves[]> {
  const tensors = splitCalls(await readTensorFile(path));
  const notes = await readSidecar(path);
  const given = parseScalars(scalarTexts);
  const count = Math.max(tensors.length, notes.length);
  return Array.from({ length: count }, (_, call) =>
    leavesOf(inputs, tensors[call] ?? new Map(), new Map([...(notes[call]?.inputs ?? []), ...given]), path),
  );
}

/** Returns the leaves of a sample call, with the scalars of the command line in place of its own. */
export function withScalars(
  sample: readonly unknown[],
  inputs: readonly LeafInfo[],
  scalarTexts: readonly string[],
  where: string,
): readonly unknown[] {
  const given = leavesOf(inputs, new Map(), parseScalars(scalarTexts), where);
  return sample.map((leaf, at) => (given[at] === undefined ? leaf : given[at]));
}

/** Finds each input among tensors and scalars by its name, its name in the graph, or its position. */
export function leavesOf(
  inputs: readonly LeafInfo[],
  tensors: Tensors,
  scalars: ReadonlyMap<string, Scalar>,
  where: string,
): Leaves {
  const used = new Set<string>();
  const find = <T>(among: ReadonlyMap<string, T>, { name, value }: LeafInfo, at: number): T | undefined => {
    const keys = [name, value, String(at)].filter((key) => key !== null && among.has(key)) as readonly string[];
    for (const key of keys) used.add(key);
    return keys[0] === undefined ? undefined : among.get(keys[0]);
  };
  const leaves = inputs.map((input, at) => {
    const tensor = find(tensors, input, at);
    const scalar = find(scalars, input, at);
    // A scalar for a tensor is a mistake, which the check of the call explains.
    return tensor === undefined || scalar !== undefined ? scalar : toHostTensor(tensor);
  });
  const unknown = [...tensors.keys(), ...scalars.keys()].find((key) => !used.has(key));
  if (unknown !== undefined) {
    throw cliError("cli.inputs", {
      what: `The program has no input "${unknown}"`,
      where,
      advice: `its inputs are ${inputs.map(({ name }, at) => `${name} (${at})`).join(", ") || "none"}`,
    });
  }
  return leaves;
}
