import { DTYPES, type DType } from "../dtype.ts";
import { absentStorage } from "../entry-storage.ts";
import { formatError } from "../format-errors.ts";
import { JsonReader } from "../json/json-reader.ts";
import { parseJson } from "../json/parse-json.ts";
import { tensorMeta } from "../program/decode-value.ts";
import { checkView } from "../view.ts";
import type { Storage, WeightTensor } from "../weight-tensor.ts";
import { concrete } from "../weights-config.ts";
import { parseDevice } from "./parse-device.ts";
import { type PickleItem, pickleError, sequence, smallInt, text } from "./pickle-items.ts";

type TensorItem = Extract<PickleItem, { readonly kind: "tensor" }>;

/** `_rebuild_tensor(_v2)(storage, offset, size, stride[, requires_grad, hooks[, metadata]])` */
export function rebuildTensor(args: readonly PickleItem[]): TensorItem {
  const [storage] = args;
  if (storage?.kind !== "storage" || storage.dtype === "untyped") throw pickleError("a tensor has no typed storage");
  refuseLazyBits(args[6]);
  return tensor(args, storage.storage, storage.dtype, storage.location);
}

/** `_rebuild_tensor_v3(storage, offset, size, stride, requires_grad, hooks, dtype[, metadata])` */
export function rebuildTensorV3(args: readonly PickleItem[]): TensorItem {
  const [storage, dtype] = [args[0], args[6]];
  if (storage?.kind !== "storage" || dtype?.kind !== "dtype") throw pickleError("a tensor has no storage or dtype");
  refuseLazyBits(args[7]);
  return tensor(args, storage.storage, dtype.value, storage.location);
}

/** `_rebuild_parameter(tensor, requires_grad, hooks)` */
export function rebuildParameter([data, requiresGrad]: readonly PickleItem[]): TensorItem {
  if (data?.kind !== "tensor") throw pickleError("a parameter has no tensor");
  return { kind: "tensor", tensor: { ...data.tensor, kind: "parameter", requiresGrad: truth(requiresGrad) } };
}

/** PyTorch's own class of tensors. */
export const TENSOR = "torch.Tensor";

/** `_rebuild_from_type_v2(function, type, args, state)` builds a tensor with Python attributes, which are ignored. */
export function rebuildFromType([make, type, args]: readonly PickleItem[]): PickleItem {
  if (make?.kind !== "global" || make.call === undefined) throw pickleError("a tensor has no function that builds it");
  if (type?.kind !== "global" || type.name !== TENSOR) throw pickleError("a tensor has an unknown type");
  return make.call(sequence(args));
}

/** `_rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad)` */
export function rebuildMetaTensor([dtype, ...view]: readonly PickleItem[]): TensorItem {
  if (dtype?.kind !== "dtype") throw pickleError("a meta tensor has no dtype");
  const [size, stride, requiresGrad] = view;
  const offset: PickleItem = { kind: "int", value: 0 };
  return tensor([dtype, offset, size!, stride!, requiresGrad!], absentStorage("meta"), dtype.value, "meta");
}

/** `_reconstruct_fake_tensor(json, is_parameter)` is how old files write weights without bytes. */
export function rebuildFakeTensor([json, isParameter]: readonly PickleItem[]): TensorItem {
  if (json?.kind !== "bytes") throw pickleError("a fake tensor has no description");
  const reader = new JsonReader("fake tensor", "format.pickle");
  const meta = tensorMeta(reader, parseJson(json.value, "fake tensor"));
  const view = {
    dtype: meta.dtype,
    shape: meta.sizes.map((size) => concrete(reader, size)),
    strides: meta.strides.map((stride) => concrete(reader, stride)),
    storageOffset: concrete(reader, meta.storageOffset),
  };
  checkView(view, 0, "fake tensor", true);
  const { requiresGrad, device } = meta;
  const kind = truth(isParameter) ? "parameter" : "buffer";
  return { kind: "tensor", tensor: { name: "", kind, ...view, storage: absentStorage("fake"), requiresGrad, device } };
}

function tensor(args: readonly PickleItem[], storage: Storage, dtype: DType, location: string): TensorItem {
  const view = {
    dtype,
    storageOffset: smallInt(args[1]),
    shape: sequence(args[2]).map(smallInt),
    strides: sequence(args[3]).map(smallInt),
  };
  checkView(view, storage.nbytes, storage.entry, location === "meta");
  const result: WeightTensor = {
    name: "",
    kind: "buffer",
    ...view,
    storage,
    requiresGrad: truth(args[4]),
    device: parseDevice(location),
  };
  return { kind: "tensor", tensor: result };
}

/** Throws for lazily conjugated or negated tensors, whose bytes differ from their values. */
function refuseLazyBits(metadata: PickleItem | undefined): void {
  if (metadata?.kind !== "dict") return;
  for (const [key, value] of metadata.entries) {
    const name = text(key);
    if ((name !== "conj" && name !== "neg") || !truth(value)) continue;
    throw formatError("format.tensor-kind", {
      what: `a tensor with its lazy ${name} bit set cannot be read`,
      advice: `call .resolve_${name}() on it before exporting`,
    });
  }
}

function truth(item: PickleItem | undefined): boolean {
  return item?.kind === "bool" && item.value;
}

/** Returns the bytes of a typed storage of `numel` elements. */
export function storageBytes(dtype: DType | "untyped", numel: number): number {
  return dtype === "untyped" ? numel : numel * DTYPES[dtype].itemsize;
}
