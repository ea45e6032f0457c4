import type { CompileRequest } from "@pt2/backend";
import { DTYPES, expectStorages, type WeightTensor } from "@pt2/format";
import type { InputSpec, Program, ValueType } from "@pt2/graph";
import { liveness } from "@pt2/graph/passes";
import type { Addon, NativeStorage, NativeTensor, TensorLayout } from "../addon.ts";
import { located } from "../native-failure.ts";
import { requireWeight } from "./check-weight.ts";
import { StorageOpener } from "./storages.ts";

/** Weights in libtorch's memory. */
export interface BoundWeights {
  /** The tensors by target name. */
  readonly tensors: ReadonlyMap<string, NativeTensor>;
}

/** A weight that a program reads, and what the program declares of it. */
export interface WeightNeed {
  readonly target: string;
  readonly type: ValueType | undefined;
}

/** Lists the weights that a program reads, and those that get new values although nothing reads the old ones. */
export function weightsReadBy(
  { graph, inputs }: Program,
  commits: readonly { readonly target: string }[] = [],
): readonly WeightNeed[] {
  const { uses } = liveness(graph);
  const renewed = new Set(commits.map(({ target }) => target));
  return inputs.flatMap((spec) =>
    isWeight(spec) && (uses.get(spec.value) !== 0 || renewed.has(spec.target))
      ? [{ target: spec.target, type: graph.values.get(spec.value) }]
      : [],
  );
}

/**
 * Returns whether a program reads other weights that view the storage of one too. An export with a static cache lists each
 * tensor of it twice, as a constant and as a buffer that nothing reads.
 */
export function isShared(program: Program, weights: ReadonlyMap<string, WeightTensor>): (target: string) => boolean {
  const counts = new Map<string, number>();
  for (const { target } of weightsReadBy(program)) {
    const id = weights.get(target)?.storage.id;
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return (target) => (counts.get(weights.get(target)?.storage.id ?? "") ?? 0) > 1;
}

/** The device of the weights, and how they are loaded. */
export interface BindOptions {
  readonly onProgress: CompileRequest["onProgress"] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly addon: Pick<Addon, "mapFile" | "storage" | "tensor" | "callSync">;
  readonly device: string;
  /** Whether files are mapped; undefined leaves it to their size. */
  readonly mmap?: boolean | undefined;
}

/**
 * Weights of at most so many bytes are read: that takes some 30 ms more than to map them, and
 * nothing can happen to them afterwards (bench/notes/loads.md, Options of a load).
 */
const READ_UP_TO = 64 * 2 ** 20;
/** How many weights are read at the same time. */
const CONCURRENT_READS = 4;

/** The storages of a program's weights, each with the weights that view it. */
interface StorageUse {
  readonly weights: readonly { readonly target: string; readonly weight: WeightTensor }[];
  readonly nbytes: number;
}

/** Loads weights to a device. Those that share a storage in the file share it here. */
export async function bindWeights(
  needs: readonly WeightNeed[],
  weights: ReadonlyMap<string, WeightTensor>,
  options: BindOptions,
): Promise<BoundWeights> {
  const { addon, device, onProgress, signal } = options;
  const uses = [...storagesOf(needs, weights).values()];
  const total = uses.reduce((sum, { nbytes }) => sum + nbytes, 0);
  const { mmap = total > READ_UP_TO } = options;
  const opener = new StorageOpener(addon, signal);
  const tensors = new Map<string, NativeTensor>();
  const enough = expectStorages(uses.map(storageOf), signal);
  try {
    let done = 0;
    await forEachConcurrently(uses, CONCURRENT_READS, async (use) => {
      signal?.throwIfAborted();
      const mapped = mmap ? await opener.map(storageOf(use)) : null;
      const storage = mapped ?? addon.storage(await storageOf(use).read({ signal }));
      signal?.throwIfAborted();
      for (const [target, tensor] of located(() => tensorsOf(use, storage, addon, device))) tensors.set(target, tensor);
      done += use.nbytes;
      onProgress?.({ stage: "weights", done, total });
    });
    return { tensors };
  } finally {
    enough();
  }
}

/** Calls `work` for each item, a few at a time, and waits for all calls that began. */
async function forEachConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  const ends = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

function storageOf({ weights }: StorageUse): WeightTensor["storage"] {
  return weights[0]!.weight.storage;
}

function storagesOf(
  needs: readonly WeightNeed[],
  weights: ReadonlyMap<string, WeightTensor>,
): ReadonlyMap<string, StorageUse> {
  const storages = new Map<string, { readonly weights: StorageUse["weights"][number][]; readonly nbytes: number }>();
  for (const { target, type } of new Map(needs.map((need) => [need.target, need])).values()) {
    const weight = requireWeight(target, weights.get(target), type);
    const { id, nbytes } = weight.storage;
    const use = storages.get(id) ?? { weights: [], nbytes };
    use.weights.push({ target, weight });
    storages.set(id, use);
  }
  return storages;
}

type WeightSpec = Extract<InputSpec, { readonly kind: "parameter" | "buffer" | "tensor_constant" }>;

function isWeight(spec: InputSpec): spec is WeightSpec {
  return spec.kind === "parameter" || spec.kind === "buffer" || spec.kind === "tensor_constant";
}

/** Makes the views of one storage. On another device the storage is copied once, where its tensors have one dtype. */
function tensorsOf(
  { weights, nbytes }: StorageUse,
  storage: NativeStorage,
  addon: BindOptions["addon"],
  device: string,
): readonly (readonly [string, NativeTensor])[] {
  const [first] = weights;
  const oneDtype = weights.every(({ weight }) => weight.dtype === first!.weight.dtype);
  if (device === "cpu" || weights.length === 1 || !oneDtype) {
    return weights.map(({ target, weight }) => {
      const { dtype, shape, strides, storageOffset } = weight;
      return [target, addon.tensor(storage, { dtype, shape, strides, storageOffset }, device)];
    });
  }
  const whole = addon.tensor(storage, flatLayout(first!.weight, nbytes), device);
  return weights.map(({ target, weight }) => [target, viewOf(whole, weight, addon)]);
}

function flatLayout({ dtype }: WeightTensor, nbytes: number): TensorLayout {
  return { dtype, shape: [Math.floor(nbytes / DTYPES[dtype].itemsize)], strides: [1], storageOffset: 0 };
}

function viewOf(whole: NativeTensor, weight: WeightTensor, addon: BindOptions["addon"]): NativeTensor {
  const ints = (values: readonly number[]) => ({
    kind: "list" as const,
    items: values.map((value) => ({ kind: "int" as const, value })),
  });
  const [view] = addon.callSync("aten::as_strided", [
    { name: "self", value: { kind: "tensor", tensor: whole } },
    { name: "size", value: ints(weight.shape) },
    { name: "stride", value: ints(weight.strides) },
    { name: "storage_offset", value: { kind: "int", value: weight.storageOffset } },
  ]);
  return view as NativeTensor;
}
