import { readFileSync } from "node:fs";

/** PyTorch's interpolation of the signal to as many values. */
interface Resized {
  readonly mode: "nearest" | "nearest-exact" | "linear" | "cubic";
  readonly scale?: number;
  readonly alignCorners: boolean;
  readonly antialias: boolean;
  readonly values: readonly number[];
}

/** PyTorch's pooling of the signal. */
interface Pooled {
  readonly reduce: "max" | "mean";
  readonly kernel: number;
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
  readonly ceilMode: boolean;
  readonly countIncludePad: boolean;
  readonly values: readonly number[];
}

/** A row of numbers, and what PyTorch makes of it; `scripts/python/sampling.py` writes the file. */
interface Sampling {
  readonly signal: readonly number[];
  readonly resized: readonly Resized[];
  readonly pooled: readonly Pooled[];
}

const sampling: Sampling = JSON.parse(readFileSync(new URL("./sampling.golden.json", import.meta.url), "utf8"));

export const signal: readonly number[] = sampling.signal;
export const resized: readonly Resized[] = sampling.resized;
export const pooled: readonly Pooled[] = sampling.pooled;
