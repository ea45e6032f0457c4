import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { joinParts, type Parts, partsOf } from "../support/complex-parts.ts";
import { emit } from "../support/emit.ts";
import { type Convolution, convolved } from "./geometry.ts";

/** Decomposes a complex convolution into three real ones, as PyTorch does. */
export function complexConvolution(conv: Convolution, b: Builder): TensorMeta {
  const e = emit(b);
  const { input, weight, bias } = conv;
  const [x, w, c] = [partsOf(input, b), partsOf(weight, b), bias && partsOf(bias, b)];
  const sum = ({ re, im }: Parts): TensorMeta => e.add(re, im);
  const real = (part: TensorMeta, by: TensorMeta, plus: TensorMeta | null): TensorMeta =>
    b.tensor("aten::convolution", { ...conv, input: part, weight: by, bias: plus });
  const re = real(x.re as TensorMeta, w.re as TensorMeta, c && (c.re as TensorMeta));
  const im = real(x.im as TensorMeta, w.im as TensorMeta, null);
  const both = real(sum(x), sum(w), c && sum(c));
  return joinParts({ re: e.sub(re, im), im: e.sub(e.sub(both, re), im) }, convolved(conv), b);
}
