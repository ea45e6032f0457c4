import type { DType } from "@pt2/format";

/** A tensor of a case. Without `strides` its data are the elements, row-major; with them, the storage. */
export interface CaseTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Little-endian bytes in base64. Absent: only dtype and shape are compared. */
  readonly data?: string;
  readonly strides?: readonly number[];
  readonly offset?: number;
}

/** An argument as `scripts/python/cases/README.md` describes it. */
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

/** What one return must be: a tensor, a list of them, a number, or null for what is not compared. */
export type CaseResult = null | boolean | number | CaseTensor | readonly CaseTensor[] | CaseNumber;

/** A number that JSON does not have. */
export type CaseNumber = { readonly float: number | string } | { readonly int: string };

/** One call of one op, with what PyTorch answered. */
export interface OpCase {
  /** Name by schema: `aten::add.Tensor`. */
  readonly op: string;
  /** What is special about it. */
  readonly name: string;
  /** By schema argument name; what is left out has the schema's default. */
  readonly args: Readonly<Record<string, CaseArg>>;
  readonly tensors: readonly CaseTensor[];
  readonly expected: readonly CaseResult[];
  /** For an op that writes: its written arguments after the call. */
  readonly mutated?: Readonly<Record<string, CaseTensor>>;
  readonly rtol?: number;
  readonly atol?: number;
  /** Why its tolerance differs. */
  readonly why?: string;
}

/** The cases of related ops. */
export interface CaseFamily {
  readonly family: string;
  /** Version of PyTorch that gave the answers. */
  readonly torch: string;
  readonly cases: readonly OpCase[];
}
