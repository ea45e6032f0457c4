import { type ByteSource, openArchive, openSafetensors, type WeightTensor } from "@pt2/format";
import { assertValid, fromJson, type Json, type Program, parse } from "@pt2/graph";
import { type ProgramSource, weightsFor } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import { cliError } from "./cli-errors.ts";

/** Opens a program that `pt2 graph` wrote, with its weights of a `.safetensors` or a `.pt2` file. */
export async function openParts(path: string, weights: string, model?: string): Promise<Required<ProgramSource>> {
  const program = await readProgram(path);
  assertValid(program);
  const source = await openFile(weights);
  const close = async (): Promise<void> => await source.close?.();
  try {
    return { program, weights: weightsFor(program, await weightsIn(source, model), weights), close };
  } catch (problem) {
    await close();
    throw problem;
  }
}

/** Whether a file is `.safetensors`, which has no program. */
export async function holdsWeightsAlone(path: string): Promise<boolean> {
  const source = await openFile(path);
  try {
    return await isSafetensors(source);
  } finally {
    await source.close?.();
  }
}

/** Whether a file begins as a program that `pt2 graph` wrote; false where it cannot be read. */
export async function isProgramText(path: string): Promise<boolean> {
  // JSON of a server is rather its error message.
  if (/^https?:/i.test(path)) return false;
  try {
    return /^\s*(\{|program\b)/.test(await readText(path, HEAD));
  } catch {
    return false;
  }
}

const HEAD = 16;

const ADVICE = "pass what `pt2 graph model.pt2 --format json` or `--format text` writes";

async function readProgram(path: string): Promise<Program> {
  const text = await readText(path);
  if (text.startsWith("PK")) {
    const advice = `omit --weights, or ${ADVICE}`;
    throw cliError("cli.usage", { what: "The program is a .pt2 file, which has its own weights", where: path, advice });
  }
  return text.trimStart().startsWith("{") ? fromJson(documentOf(text, path)) : parse(text);
}

async function readText(path: string, length?: number): Promise<string> {
  const source = await openFile(path);
  try {
    return new TextDecoder().decode(await source.read(0, Math.min(source.size, length ?? source.size)));
  } finally {
    await source.close?.();
  }
}

function documentOf(text: string, where: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw cliError("cli.usage", { what: "The program is not JSON", where, advice: ADVICE, cause });
  }
}

async function weightsIn(source: ByteSource, model?: string): Promise<ReadonlyMap<string, WeightTensor>> {
  if (await isSafetensors(source)) return await openSafetensors(source);
  return await (await openArchive(source)).weights(model);
}

/** A safetensors file has eight bytes of length and then JSON; one that is damaged has its name. */
async function isSafetensors(source: ByteSource): Promise<boolean> {
  const head = await source.read(0, Math.min(source.size, 9));
  return head[8] === "{".charCodeAt(0) || source.name?.endsWith(".safetensors") === true;
}
