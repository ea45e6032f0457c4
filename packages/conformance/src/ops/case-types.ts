import type { DType } from "@pt2/format";

/** A tensor of a case. Without `strides` its data are the elements in row-major order; with them, its storage. */
export interface CaseTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Little-endian bytes in base64. If absent, only dtype and shape are compared. */
  readonly data?: string;
  readonly strides?: readonly number[];
  readonly offset?: number;
}

/** An argument, in the form that `scripts/python/cases/README.md` describes. */
export type CaseArg =
  | null
  | boolean
  | number
  | string
  | readonly CaseArg[]
  | { readonly tensor: number }
  | { readonly float: number | string }
  | { readonly int: string }
  | { readonly complex: readonly [number, number] }
  | { readonly dtype: DType }
  | { readonly device: string }
  | { readonly layout: string }
  | { readonly memory_format: string };

/** The expected value of one return: a tensor, a list of tensors, a number, or null if it is not compared. */
export type CaseResult = null | boolean | number | CaseTensor | readonly CaseTensor[] | CaseNumber;

/** A number that JSON cannot represent. */
export type CaseNumber = { readonly float: number | string } | { readonly int: string };

/** One call of an op, with PyTorch's results. */
export interface OpCase {
  /** The op's full name: `aten::add.Tensor`. */
  readonly op: string;
  /** A short description of what the case tests. */
  readonly name: string;
  /** The arguments by their names in the schema; missing ones have the schema's default. */
  readonly args: Readonly<Record<string, CaseArg>>;
  readonly tensors: readonly CaseTensor[];
  readonly expected: readonly CaseResult[];
  /** For an op that writes: the arguments that it writes to, after the call. */
  readonly mutated?: Readonly<Record<string, CaseTensor>>;
  readonly rtol?: number;
  readonly atol?: number;
  /** The reason why the tolerance differs from the default. */
  readonly why?: string;
}

/** The cases of related ops. */
export interface CaseFamily {
  readonly family: string;
  /** The version of PyTorch that computed the results. */
  readonly torch: string;
  readonly cases: readonly OpCase[];
}
