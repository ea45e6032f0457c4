import type { ByteSource, ReadOptions } from "./byte-source.ts";
import { requireLittleEndian } from "./byteorder.ts";
import { entryStorage, requireEntry } from "./entry-storage.ts";
import { formatError } from "./format-errors.ts";
import { type PickleItem, pickleError, sequence, smallInt, text } from "./pickle/pickle-items.ts";
import { storageBytes } from "./pickle/rebuild-tensors.ts";
import { unpickle } from "./pickle/unpickle.ts";
import type { PyValue } from "./sample-inputs.ts";
import type { Storage } from "./weight-tensor.ts";
import { ZipFile } from "./zip/zip-file.ts";

/** Options of {@link readTorchSave}. */
interface TorchSaveOptions extends ReadOptions {
  /** Whether instances of any class are read, as what their attributes are. @default false */
  readonly classes?: boolean;
}

/**
 * Reads a `torch.save` file: a zip with a pickle and one entry per storage, which are read on demand. Current archives
 * need it only for sample inputs, so it is loaded on demand.
 */
export async function readTorchSave(source: ByteSource, verify: boolean, options?: TorchSaveOptions): Promise<PyValue> {
  const where = source.name ?? "torch.save file";
  const zip = await ZipFile.open(source, verify, options);
  const pickle = zip && [...zip.entries.values()].find(({ name }) => name === "data.pkl" || name.endsWith("/data.pkl"));
  if (zip === undefined || pickle === undefined) {
    throw formatError("format.pickle", {
      what: "the entry is not a torch.save zip",
      where,
      advice: "the file is damaged, or written by torch before 1.6: save it again",
    });
  }
  const root = pickle.name.slice(0, -"data.pkl".length);
  await requireLittleEndian(zip, `${root}byteorder`, where, options);

  const storages = new Map<string, Storage>();
  const persistentLoad = (id: PickleItem): PickleItem => {
    const [tag, storageClass, key, location, numel] = sequence(id);
    if (text(tag) !== "storage" || storageClass?.kind !== "global" || storageClass.storageDtype === undefined) {
      throw pickleError("a persistent id is not a storage");
    }
    const name = `${root}data/${text(key)}`;
    const entry = requireEntry(zip, name, where);
    const dtype = storageClass.storageDtype;
    const nbytes = storageBytes(dtype, smallInt(numel));
    if (nbytes > entry.size)
      throw pickleError(`storage ${text(key)} has ${entry.size} bytes, its tensors need ${nbytes}`);
    const storage = storages.get(name) ?? entryStorage(zip, entry, `${where}!${name}`);
    storages.set(name, storage);
    return { kind: "storage", storage, dtype, location: text(location) };
  };
  return unpickle(await zip.read(pickle, options), `${where}!${pickle.name}`, persistentLoad, options?.classes);
}
