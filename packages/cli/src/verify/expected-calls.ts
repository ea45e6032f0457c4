import { fromBytes, openArchive, readSafetensors, type Tensors } from "@pt2/format";
import type { Call, LeafInfo, Model } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import { cliError } from "../cli-errors.ts";
import { archiveOf } from "../open-model.ts";
import type { Options } from "../options.ts";
import { readCalls } from "../tensors/calls.ts";
import { chosenCalls } from "../tensors/chosen-calls.ts";
import { readSidecar, type Scalar } from "../tensors/sidecar.ts";
import { readTensorFile, splitCalls } from "../tensors/tensor-file.ts";

/** The archive's extra file with expected outputs: a `.safetensors` file in Base64, as extra files are text. */
const EXPECTED_IN_ARCHIVE = "expected.safetensors.base64";

/** A call with its expected results. */
export interface ExpectedCall {
  readonly call: Call;
  readonly tensors: Tensors;
  /** Results that are not tensors, by position. */
  readonly scalars: ReadonlyMap<string, Scalar>;
}

/** The files of calls and of their results. */
export interface CallFiles {
  readonly inputs: string;
  readonly expected: string;
  /** Inputs that are not tensors, as `NAME=VALUE`. */
  readonly scalars?: readonly string[];
}

/** Reads the calls of an inputs file, with the results of another. */
export async function readExpectedCalls(
  infos: readonly LeafInfo[],
  { inputs, expected, scalars }: CallFiles,
): Promise<readonly ExpectedCall[]> {
  const calls = await readCalls(inputs, infos, scalars);
  return await withResults(
    calls.map((leaves) => ({ leaves })),
    await readTensorFile(expected),
    inputs,
  );
}

/** Returns the calls and results to compare: the archive's own where the command line names no files. */
export async function chosenExpectedCalls(options: Options, model: Model): Promise<readonly ExpectedCall[]> {
  const calls = await chosenCalls(options, model);
  const path = options.path("expected");
  const tensors = path === undefined ? await readArchiveResults(options) : await readTensorFile(path);
  if (tensors !== undefined) return await withResults(calls, tensors, options.path("inputs"));
  throw cliError("cli.no-expected", {
    what: "There is nothing to compare with: the archive has no expected outputs",
    where: options.file,
    advice: `pass --expected OUT, or save them in the file as ${EXPECTED_IN_ARCHIVE} (docs/exporting.md), or compare two ways of computation with --per-node`,
  });
}

async function withResults(
  calls: readonly Call[],
  results: Tensors,
  inputs: string | undefined,
): Promise<readonly ExpectedCall[]> {
  const tensors = splitCalls(results);
  const notes = inputs === undefined ? [] : await readSidecar(inputs);
  return calls.map((call, at) => ({
    call,
    tensors: tensors[at] ?? new Map(),
    scalars: notes[at]?.outputs ?? new Map(),
  }));
}

async function readArchiveResults(options: Options): Promise<Tensors | undefined> {
  const file = await archiveOf(options);
  if (file === undefined) return undefined;
  const archive = await openArchive(await openFile(file));
  try {
    if (!archive.extraFiles.includes(EXPECTED_IN_ARCHIVE)) return undefined;
    const bytes = Buffer.from(await archive.readExtraFile(EXPECTED_IN_ARCHIVE), "base64");
    return (await readSafetensors(fromBytes(bytes))).tensors;
  } finally {
    await archive.close();
  }
}
