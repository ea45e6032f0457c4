import type { DType } from "./dtype.ts";
import type { Device, Int } from "./program/exported-program.ts";
import type { WeightTensor } from "./weight-tensor.ts";

/** A Python value read from a pickle without running Python. */
export type PyValue =
  | { readonly kind: "none" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "int"; readonly value: Int }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "complex"; readonly real: number; readonly imag: number }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "bytes"; readonly value: Uint8Array }
  | { readonly kind: "dtype"; readonly value: DType }
  | { readonly kind: "device"; readonly value: Device }
  | { readonly kind: "tensor"; readonly tensor: WeightTensor }
  | { readonly kind: "tuple" | "list" | "set"; readonly items: readonly PyValue[] }
  /** An instance of a class that is not one of Python's or PyTorch's own, as what its attributes are. */
  | {
      readonly kind: "object";
      readonly className: string;
      readonly attributes: readonly (readonly [string, PyValue])[];
    }
  | { readonly kind: "class"; readonly name: string }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [PyValue, PyValue])[] };

/** The example call stored in an archive. */
export interface SampleInputs {
  readonly args: readonly PyValue[];
  /** Keyword arguments in the order of the call at export. */
  readonly kwargs: readonly (readonly [string, PyValue])[];
}
