import { formatError } from "./format-errors.ts";
import { type Writable, writeJson } from "./json/write-json.ts";
import { requireArgument } from "./options.ts";
import { formatProgram } from "./program/encode-program.ts";
import { encodeTensorMeta } from "./program/encode-value.ts";
import type { ExportedProgram } from "./program/exported-program.ts";
import { checkView } from "./view.ts";
import type { WeightTensor } from "./weight-tensor.ts";
import { type ByteSink, ZipWriter } from "./zip/zip-writer.ts";

/** A model to write. */
export interface ModelContent {
  /** Defaults to `model`, the name that `torch.export.load` looks for. */
  readonly name?: string;
  readonly program: ExportedProgram;
  /** Parameters, buffers and constants, from {@link Archive.weights} or created by the caller. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
  /** The example call as `torch.save` bytes, e.g. the entry of another archive. */
  readonly sampleInputs?: Uint8Array;
}

/** The content of an archive to write. */
export interface ArchiveContent {
  readonly models: readonly ModelContent[];
  readonly extraFiles?: ReadonlyMap<string, string>;
  /** The root folder; PyTorch uses the file's name without its extension. */
  readonly root?: string;
}

/**
 * Writes an archive of the current generation, which `torch.export.load` opens (if a model is called `model`). Tensors
 * that share a storage keep sharing it. Storages are read one at a time, to bound memory. Returns the size.
 */
export async function writeArchive(content: ArchiveContent, sink: ByteSink): Promise<number> {
  requireArgument("writeArchive()", "content", content, "{ models }", "format.options");
  requireArgument("writeArchive()", "content.models", content.models, "array", "format.options");
  requireArgument("writeArchive()", "sink", sink, "function", "format.options");
  const zip = new ArchiveWriter(content.root ?? "archive", sink);
  for (const model of content.models) await zip.addModel(model);
  for (const [name, text] of content.extraFiles ?? []) await zip.add(`extra/${name}`, utf8(text));
  return zip.finish();
}

/** Writes an archive into memory, like {@link writeArchive}. */
export async function archiveToBytes(content: ArchiveContent): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const size = await writeArchive(content, (chunk) => void chunks.push(chunk));
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Names of entries by sort; numbers continue from model to model. */
const SORTS = {
  weights: { prefix: "weight_", config: "weights_config.json" },
  constants: { prefix: "tensor_", config: "constants_config.json" },
} as const;

type Sort = keyof typeof SORTS;

class ArchiveWriter {
  readonly #zip: ZipWriter;
  readonly #root: string;
  readonly #counts: Record<Sort, number> = { weights: 0, constants: 0 };
  readonly #models: Set<string> = new Set();
  #identity = 0n;

  constructor(root: string, sink: ByteSink) {
    if (root === "" || root.includes("/")) throw writeError(`${JSON.stringify(root)} is not a folder name`, "root");
    this.#root = root;
    this.#zip = new ZipWriter(sink);
  }

  async add(name: string, bytes: Uint8Array): Promise<void> {
    const crc = await this.#zip.add(`${this.#root}/${name}`, bytes);
    this.#identity = (this.#identity * 0x100000001b3n + BigInt(crc) + 1n) % 10n ** 40n;
  }

  async addModel({ name = "model", program, weights, sampleInputs }: ModelContent): Promise<void> {
    if (this.#models.has(name)) throw writeError("two models have the same name", name);
    this.#models.add(name);
    const transient = new Set(
      program.graphModule.inputSpecs.flatMap((spec) =>
        spec.kind === "buffer" && !spec.persistent ? spec.bufferName : [],
      ),
    );
    const sortOf = ({ name, kind }: WeightTensor): Sort =>
      kind === "constant" || transient.has(name) ? "constants" : "weights";
    for (const sort of ["weights", "constants"] as const) {
      const tensors = [...weights.values()].filter((tensor) => sortOf(tensor) === sort);
      await this.#addTensors(name, sort, tensors);
    }
    await this.add(`models/${name}.json`, utf8(formatProgram(program)));
    await this.add(`data/sample_inputs/${name}.pt`, sampleInputs ?? new Uint8Array(0));
  }

  async #addTensors(model: string, sort: Sort, tensors: readonly WeightTensor[]): Promise<void> {
    const { prefix, config } = SORTS[sort];
    const paths = new Map<string, string>();
    const payloads = new Map<string, Writable>();
    for (const tensor of tensors) {
      const { name, storage, dtype } = tensor;
      checkView(tensor, storage.nbytes, name, true);
      const key = `${dtype} ${storage.id}`;
      let path = paths.get(key);
      if (path === undefined) {
        path = `${prefix}${this.#counts[sort]++}`;
        paths.set(key, path);
        await this.add(`data/${sort}/${path}`, await storage.read());
      }
      payloads.set(name, payload(tensor, path));
    }
    await this.add(`data/${sort}/${model}_${config}`, utf8(writeJson({ config: payloads })));
  }

  async finish(): Promise<number> {
    await this.add("archive_format", utf8("pt2"));
    await this.add("archive_version", utf8("0"));
    await this.add(".data/version", utf8("6\n"));
    await this.add("byteorder", utf8("little"));
    await this.add(".data/serialization_id", utf8(String(this.#identity).padStart(40, "0")));
    return this.#zip.finish();
  }
}

function payload(tensor: WeightTensor, path: string): Writable {
  const meta = encodeTensorMeta({
    dtype: tensor.dtype,
    sizes: tensor.shape.map((value) => ({ kind: "as_int", value })),
    strides: tensor.strides.map((value) => ({ kind: "as_int", value })),
    storageOffset: { kind: "as_int", value: tensor.storageOffset },
    requiresGrad: tensor.requiresGrad,
    device: tensor.device,
    layout: "strided",
  });
  return { path_name: path, is_param: tensor.kind === "parameter", use_pickle: false, tensor_meta: meta };
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function writeError(what: string, where: string): Error {
  return formatError("format.write", { what, where, advice: "choose another name" });
}
