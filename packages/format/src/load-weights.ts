import type { ReadSignal } from "./archive.ts";
import { DTYPES } from "./dtype.ts";
import { entryStorage, requireEntry } from "./entry-storage.ts";
import { formatError } from "./format-errors.ts";
import type { ExportedProgram } from "./program/exported-program.ts";
import { Pt2Error } from "./pt2-error.ts";
import type { PyValue } from "./sample-inputs.ts";
import { checkView } from "./view.ts";
import type { Storage, WeightKind, WeightTensor } from "./weight-tensor.ts";
import { type Payload, parsePayloads } from "./weights-config.ts";
import type { ZipEntry } from "./zip/zip-entry.ts";
import type { ZipFile } from "./zip/zip-file.ts";

/** Describes where a model's weights or constants are. */
export interface WeightsLocation {
  readonly zip: ZipFile;
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly verify: boolean;
  /** The name of the `torch.save` entry, which takes precedence where it exists. */
  readonly pickled: string;
  /** The name of the JSON config, used where there is no such entry. */
  readonly config: string | undefined;
  /** The folder of the config's payloads. */
  readonly folder: string;
}

/** Reads descriptions of tensors, without their bytes. */
export async function loadWeights(place: WeightsLocation, options?: ReadSignal): Promise<WeightTensor[]> {
  const pickled = place.entries.get(place.pickled);
  if (pickled !== undefined) return loadPickled(place, pickled, options);
  const config = place.config === undefined ? undefined : place.entries.get(place.config);
  return config === undefined ? [] : loadConfig(place, config, options);
}

async function loadPickled(
  { zip, verify }: WeightsLocation,
  entry: ZipEntry,
  options?: ReadSignal,
): Promise<WeightTensor[]> {
  if (entry.size === 0) return [];
  const { readTorchSave } = await import("./torch-save.ts");
  const root = await readTorchSave(await zip.slice(entry, options), verify, options);
  if (root.kind !== "dict") throw weightsError(`expected a dictionary of tensors, got a ${root.kind}`, entry.name);
  return root.entries.map(([key, value]) => {
    if (key.kind !== "string") throw weightsError(`a tensor's name is a ${key.kind}, not a string`, entry.name);
    return namedTensor(key.value, value, entry.name);
  });
}

async function loadConfig(place: WeightsLocation, config: ZipEntry, options?: ReadSignal): Promise<WeightTensor[]> {
  const payloads = parsePayloads(await place.zip.read(config, options), config.name);
  const storages = new Map<string, Storage>();
  const tensors: WeightTensor[] = [];
  for (const [name, payload] of payloads) {
    // Not a tensor. If the program needs it, the run reports that.
    if (payload.tensor === null) continue;
    const entryName = `${place.folder}${payload.pathName}`;
    const entry = place.entries.get(entryName) ?? requireEntry(place.zip, entryName, `${config.name}: ${name}`);
    if (payload.usePickle) {
      const { readTorchSave } = await import("./torch-save.ts");
      const slice = await place.zip.slice(entry, options);
      const value = await readTorchSave(slice, place.verify, options).catch((error: unknown) => {
        throw ofWeight(name, error);
      });
      tensors.push(namedTensor(name, value, entry.name));
    } else {
      const storage = storages.get(entryName) ?? entryStorage(place.zip, entry, entryName);
      storages.set(entryName, storage);
      tensors.push(rawTensor(name, payload, payload.tensor, storage, `${config.name}: ${name}`));
    }
  }
  return tensors;
}

function rawTensor(
  name: string,
  payload: Payload,
  tensor: NonNullable<Payload["tensor"]>,
  storage: Storage,
  where: string,
): WeightTensor {
  if (storage.nbytes % DTYPES[tensor.dtype].itemsize !== 0) {
    throw weightsError(
      `the ${storage.nbytes} bytes of ${storage.entry} are not a whole number of ${tensor.dtype} elements`,
      where,
    );
  }
  checkView(tensor, storage.nbytes, where, true);
  return { name, kind: payload.isParam ? "parameter" : "buffer", ...tensor, storage };
}

function namedTensor(name: string, value: PyValue, where: string): WeightTensor {
  if (value.kind === "tensor") return { ...value.tensor, name };
  throw weightsError(`${JSON.stringify(name)} is a ${value.kind}, not a tensor`, where);
}

/** Adds the weight's name to the error about a tensor subclass. */
function ofWeight(name: string, error: unknown): unknown {
  if (!(error instanceof Pt2Error) || error.code !== "format.tensor-subclass") return error;
  const { what, where, advice, details } = error;
  const weight = `the weight ${JSON.stringify(name)} cannot be read: ${what}`;
  return formatError("format.tensor-subclass", { what: weight, where, advice, details: { ...details, weight: name } });
}

/** Marks tensors as buffers or constants, and joins both maps. */
export function joinWeights(
  state: readonly WeightTensor[],
  constants: readonly WeightTensor[],
  program: ExportedProgram,
): ReadonlyMap<string, WeightTensor> {
  const buffers = new Set(
    program.graphModule.inputSpecs.flatMap((spec) => (spec.kind === "buffer" ? spec.bufferName : [])),
  );
  const all = new Map<string, WeightTensor>();
  const add = (tensor: WeightTensor, kind: WeightKind): void => {
    if (all.has(tensor.name)) throw weightsError("two tensors have the same name", tensor.name);
    all.set(tensor.name, tensor.kind === kind ? tensor : { ...tensor, kind });
  };
  for (const tensor of state) add(tensor, tensor.kind);
  for (const tensor of constants) add(tensor, buffers.has(tensor.name) ? "buffer" : "constant");
  return all;
}

function weightsError(what: string, where: string): Error {
  return formatError("format.weights", { what, where, advice: "the file is damaged: save the program again" });
}
