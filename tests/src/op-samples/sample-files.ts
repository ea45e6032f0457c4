import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { viewAs } from "@pt2/backend";
import { type DType, fromBytes, readSafetensors, type TensorData } from "@pt2/format";
import { type HostTensor, tensor } from "@pt2/runtime/node";
import type { Leaf } from "../difference.ts";

/**
 * How far results can be compared with PyTorch's: `exact` ones have the same bits in each of its runs, `seeded` ones in
 * each run after `torch.manual_seed(42)`, `close` ones do not, and `none` are in uninitialized memory.
 */
export type SampleValues = "exact" | "seeded" | "close" | "none";

/** The samples of one op and dtype, as `scripts/python/opinfo.py` wrote them. */
export interface SampleIndex {
  readonly op: string;
  readonly dtype: string;
  readonly samples: readonly SampleEntry[];
}

type SampleEntry =
  | { readonly state: "skipped"; readonly why: string }
  | {
      readonly state: "exported";
      readonly values: SampleValues;
      /** Whether PyTorch's eager mode gives the same bits as the exported program in PyTorch. */
      readonly eager: boolean;
      readonly inputs: number;
      readonly outputs: readonly Output[];
    };

/** An output: a number or the like, `tensor`, or the dtype of a complex tensor that is stored as real numbers. */
type Output = number | boolean | string | null;

/** A program with its inputs, and PyTorch's outputs. */
export interface Sample {
  readonly path: string;
  readonly values: SampleValues;
  readonly inputs: readonly HostTensor[];
  readonly expected: readonly Leaf[];
}

/** Lists the names of samples in a folder: `add.float32`. */
export function sampleNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith(".json") ? file.slice(0, -".json".length) : []))
    .sort();
}

/** Reads the index of the samples of a name. */
export async function readSampleIndex(folder: string, name: string): Promise<SampleIndex> {
  return JSON.parse(await readFile(join(folder, `${name}.json`), "utf8")) as SampleIndex;
}

/** Reads every sample of a name; for those that PyTorch could not export it returns the reason. */
export async function readSamples(folder: string, name: string): Promise<readonly (Sample | string)[]> {
  const { samples } = await readSampleIndex(folder, name);
  const bytes = new Uint8Array(await readFile(join(folder, `${name}.safetensors`)));
  const { tensors } = await readSafetensors(fromBytes(bytes));
  return samples.map((sample, at) => {
    if (sample.state === "skipped") return sample.why;
    const find = (key: string): HostTensor => toTensor(tensors.get(`${at}.${key}`)!);
    return {
      path: join(folder, `${name}.${at}.pt2`),
      values: sample.values,
      inputs: Array.from({ length: sample.inputs }, (_, k) => find(`in.${k}`)),
      expected: sample.outputs.map((value, k) => {
        if (value === "tensor") return find(`out.${k}`);
        return isPaired(value) ? ofPairs(value, find(`out.${k}`)) : fromJson(value);
      }),
    };
  });
}

function toTensor({ dtype, shape, bytes }: TensorData): HostTensor {
  return tensor(dtype, shape, viewAs(dtype, bytes));
}

function isPaired(value: Output): value is "complex32" | "complex128" {
  return value === "complex32" || value === "complex128";
}

function ofPairs(dtype: DType, { shape, data }: HostTensor): HostTensor {
  return tensor(dtype, shape.slice(0, -1), data);
}

/** Converts an output. Python's infinities and NaN are text in the index. */
function fromJson(value: Output): Leaf {
  return typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value;
}
