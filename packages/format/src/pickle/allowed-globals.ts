import { DTYPES, type DType } from "../dtype.ts";
import { formatError } from "../format-errors.ts";
import type { Device } from "../program/exported-program.ts";
import { parseDevice } from "./parse-device.ts";
import {
  type MutableDict,
  type PickleGlobal,
  type PickleItem,
  pickleError,
  sequence,
  smallInt,
  text,
} from "./pickle-items.ts";
import {
  rebuildFakeTensor,
  rebuildFromType,
  rebuildMetaTensor,
  rebuildParameter,
  rebuildTensor,
  rebuildTensorV3,
  TENSOR,
} from "./rebuild-tensors.ts";

type Call = (args: readonly PickleItem[]) => PickleItem;

/** The functions that a pickle may call, by `module.name`. */
const CALLS: Readonly<Record<string, Call>> = {
  "torch._utils._rebuild_tensor": rebuildTensor,
  "torch._utils._rebuild_tensor_v2": rebuildTensor,
  "torch._utils._rebuild_tensor_v3": rebuildTensorV3,
  "torch._utils._rebuild_parameter": rebuildParameter,
  "torch._utils._rebuild_parameter_with_state": rebuildParameter,
  "torch._utils._rebuild_meta_tensor_no_storage": rebuildMetaTensor,
  "torch._tensor._rebuild_from_type_v2": rebuildFromType,
  "torch._export.serde.serialize._reconstruct_fake_tensor": rebuildFakeTensor,
  "collections.OrderedDict": orderedDict,
  "torch.Size": ([items]) => ({ kind: "tuple", items: [...sequence(items)] }) as PickleItem,
  "torch.device": ([type, index]) => ({ kind: "device", value: deviceOf(text(type), index) }),
  "builtins.set": ([items]) => ({ kind: "set", items: items === undefined ? [] : [...sequence(items)] }) as PickleItem,
  "builtins.complex": ([real, imag]) => ({ kind: "complex", real: number(real), imag: number(imag) }),
  "builtins.bytearray": ([bytes]) => bytes ?? { kind: "bytes", value: new Uint8Array(0) },
  "_codecs.encode": ([string]) => ({
    kind: "bytes",
    value: Uint8Array.from(text(string), (char) => char.charCodeAt(0)),
  }),
};

/** Kinds of tensors that are recognized but not supported. */
const REFUSED: Readonly<Record<string, string>> = {
  "torch._utils._rebuild_qtensor": "a quantized tensor",
  "torch._utils._rebuild_sparse_tensor": "a sparse tensor",
  "torch._utils._rebuild_sparse_csr_tensor": "a sparse tensor",
  "torch._utils._rebuild_nested_tensor": "a nested tensor",
};

/** Builds a tensor subclass from inner tensors (quantized weights of torchao, `DTensor`). */
const WRAPPER_SUBCLASS = "torch._utils._rebuild_wrapper_subclass";

const STORAGES: Readonly<Record<string, DType | "untyped">> = {
  "torch.DoubleStorage": "float64",
  "torch.FloatStorage": "float32",
  "torch.HalfStorage": "float16",
  "torch.LongStorage": "int64",
  "torch.IntStorage": "int32",
  "torch.ShortStorage": "int16",
  "torch.CharStorage": "int8",
  "torch.ByteStorage": "uint8",
  "torch.BoolStorage": "bool",
  "torch.BFloat16Storage": "bfloat16",
  "torch.ComplexDoubleStorage": "complex128",
  "torch.ComplexFloatStorage": "complex64",
  "torch.storage.UntypedStorage": "untyped",
};

/** Resolves a global in the allow-list; where `classes` are taken, any other one to a class of which nothing is known. */
export function resolveGlobal(module: string, name: string, classes: boolean): PickleItem {
  // Protocol 2 writes the Python 2 name of builtins.
  const full = `${module === "__builtin__" ? "builtins" : module}.${name}`;
  if (Object.hasOwn(CALLS, full)) return { kind: "global", name: full, call: CALLS[full]! };
  if (Object.hasOwn(STORAGES, full)) {
    return { kind: "global", name: full, call: undefined, storageDtype: STORAGES[full]! } satisfies PickleGlobal;
  }
  if (full === TENSOR) return { kind: "global", name: full, call: undefined };
  if (full === WRAPPER_SUBCLASS) {
    throw formatError("format.tensor-subclass", {
      what: "a tensor is of a Python class that keeps its values in other tensors, and only that class can read them",
      where: full,
      advice:
        "call torchao.utils.unwrap_tensor_subclass(model) before torch.export.export, or save what program.run_decompositions() returns",
      details: { global: full },
    });
  }
  if (module === "torch" && Object.hasOwn(DTYPES, name)) return { kind: "dtype", value: name as DType };
  const refused = Object.hasOwn(REFUSED, full) ? REFUSED[full] : undefined;
  if (refused !== undefined || full.endsWith("Storage")) {
    throw formatError("format.tensor-kind", {
      what: `${refused ?? "a quantized storage"} cannot be read`,
      where: full,
      advice: "convert it to a plain strided tensor before exporting",
      details: { global: full },
    });
  }
  if (classes) return { kind: "class", name: full };
  throw refusedGlobal(full);
}

/** Makes the error about a global that is not in the allow-list. */
export function refusedGlobal(full: string): Error {
  const shown = full.slice(0, 300);
  const dot = shown.lastIndexOf(".");
  return formatError("format.pickle-global", {
    what: `the pickle names ${shown}, which is not allowed; nothing was executed`,
    where: shown,
    advice: "only tensors and plain containers are read: save the file without objects of that class",
    details: { module: shown.slice(0, dot), name: shown.slice(dot + 1) },
  });
}

function orderedDict(args: readonly PickleItem[]): PickleItem {
  const dict: MutableDict = { kind: "dict", entries: [] };
  for (const item of args[0] === undefined ? [] : sequence(args[0])) {
    const [key, value] = sequence(item);
    if (key === undefined || value === undefined) throw pickleError("an OrderedDict item is not a pair");
    dict.entries.push([key, value]);
  }
  return dict as PickleItem;
}

function number(item: PickleItem | undefined): number {
  if (item === undefined) return 0;
  if (item.kind === "float") return item.value;
  return smallInt(item);
}

function deviceOf(type: string, index: PickleItem | undefined): Device {
  return index === undefined || index.kind === "none" ? parseDevice(type) : { type, index: smallInt(index) };
}
