import { type ByteSource, Pt2Error, readNpz, readSafetensors, type Safetensors, type Tensors } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { cliError } from "../cli-errors.ts";

/** Reads a `.safetensors`, `.npz` or `.npy` file, recognized by its first bytes, whatever its name. */
export async function readTensorFile(path: string): Promise<Tensors> {
  return (await readTensorsAndMetadata(path)).tensors;
}

/** The same with the metadata of a `.safetensors` file; others have none. */
export async function readTensorsAndMetadata(path: string): Promise<Safetensors> {
  const source = await fromFile(path);
  try {
    const head = await source.read(0, Math.min(source.size, HEAD));
    const text = Buffer.from(head).toString("latin1");
    if (text.startsWith("\x93NUMPY")) return { tensors: await readNpz(source), metadata: new Map() };
    if (text.startsWith(ZIP)) return { tensors: await readArrays(source, path), metadata: new Map() };
    // A safetensors file has eight bytes of length and then JSON.
    if (text[8] === "{") return await readSafetensors(source);
    throw noTensorFile(path, text);
  } finally {
    await source.close?.();
  }
}

const HEAD = 16;
const ZIP = "PK";

/** Reads a zip of arrays; a checkpoint and a program are zips too. */
async function readArrays(source: ByteSource, path: string): Promise<Tensors> {
  try {
    return await readNpz(source);
  } catch (problem) {
    const hasNone = problem instanceof Pt2Error && problem.details.arrays === 0;
    throw hasNone && !path.endsWith(".npz") ? noTensorFile(path, ZIP) : problem;
  }
}

/** Other kinds of files, by their first bytes, for the error message. */
const KINDS: readonly (readonly [start: string, kind: string])[] = [
  ["\xff\xd8\xff", "a JPEG image"],
  ["\x89PNG", "a PNG image"],
  ["GIF8", "a GIF image"],
  ["RIFF", "a RIFF file (WebP, WAV)"],
  [ZIP, "a zip archive without arrays, such as a checkpoint"],
  ["\x80", "a Python pickle"],
  ["{", "JSON"],
];

function noTensorFile(path: string, head: string): Error {
  const kind = KINDS.find(([start]) => head.startsWith(start))?.[1];
  return cliError("cli.inputs", {
    what: `The file is not .safetensors or .npz${kind === undefined ? "" : `, but ${kind}`}`,
    where: path,
    advice:
      "save tensors in Python: safetensors.torch.save_file({'0': x}, 'inputs.safetensors'), or numpy.savez('inputs.npz', x=x)",
  });
}

/** Splits a file of several calls: the first under plain names, the next ones under `call1.`, `call2.`, … */
export function splitCalls(tensors: Tensors): readonly Tensors[] {
  const calls: Map<string, Tensors extends ReadonlyMap<string, infer T> ? T : never>[] = [new Map()];
  for (const [key, tensor] of tensors) {
    const [, call = "0", name = key] = /^call(\d+)\.(.+)$/.exec(key) ?? [];
    const at = Number(call);
    if (at > MOST_CALLS) throw tooManyCalls(key);
    while (calls.length <= at) calls.push(new Map());
    calls[at]!.set(name, tensor);
  }
  return calls;
}

/** Beyond it, the number in a name counts no calls: it is a date, say, or damage. */
const MOST_CALLS = 100_000;

function tooManyCalls(key: string): Error {
  return cliError("cli.inputs", {
    what: `\`${key}\` is the name of a tensor of a call, of which a file has at most ${MOST_CALLS}`,
    advice: "number calls from call1 on, or give the tensor another name",
  });
}
