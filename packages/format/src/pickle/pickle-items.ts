import type { DType } from "../dtype.ts";
import { formatError } from "../format-errors.ts";
import { checkLimit, LIMITS } from "../limits.ts";
import type { PyValue } from "../sample-inputs.ts";
import type { Storage } from "../weight-tensor.ts";

/** A value on the pickle machine's stack: a Python value, or an internal one that must not be in the result. */
export type PickleItem = PyValue | PickleGlobal | PickleStorage;

/** A name from the allow-list. */
export interface PickleGlobal {
  readonly kind: "global";
  readonly name: string;
  /** Creates the result of a call; it never runs code from the file. */
  readonly call: ((args: readonly PickleItem[]) => PickleItem) | undefined;
  /** The element type of a storage class. */
  readonly storageDtype?: DType | "untyped";
}

/** A typed storage that a tensor is built from. */
export interface PickleStorage {
  readonly kind: "storage";
  readonly storage: Storage;
  readonly dtype: DType | "untyped";
  readonly location: string;
}

/** A container while it is being filled. */
export type MutableList = { readonly kind: "list" | "set"; readonly items: PickleItem[] };
/** See {@link MutableList}. */
export type MutableDict = { readonly kind: "dict"; readonly entries: [PickleItem, PickleItem][] };

/** See {@link MutableList}. */
export type MutableObject = { readonly kind: "object"; readonly attributes: [string, PickleItem][] };

/** Python's None. */
export const NONE: PyValue = { kind: "none" };

/** Creates the error for a damaged pickle. */
export function pickleError(what: string, cause?: unknown): Error {
  return formatError("format.pickle", {
    what: `the pickle is damaged: ${what}`,
    advice: "the file is damaged, or not written by torch.save",
    cause,
  });
}

/** Returns a tuple's or list's items, or throws. */
export function sequence(item: PickleItem | undefined): readonly PickleItem[] {
  if (item?.kind === "tuple" || item?.kind === "list") return item.items;
  throw pickleError(`expected a tuple, got ${item?.kind}`);
}

/** Returns an integer that a double holds, or throws. */
export function smallInt(item: PickleItem | undefined): number {
  if (item?.kind === "int" && typeof item.value === "number") return item.value;
  throw pickleError(`expected an integer, got ${item?.kind}`);
}

/** Returns a string, or throws. */
export function text(item: PickleItem | undefined): string {
  if (item?.kind === "string") return item.value;
  throw pickleError(`expected a string, got ${item?.kind}`);
}

/**
 * Checks that a result is a finite tree of Python values: it contains no internal value, no container contains itself,
 * and walking it ends. Shared objects are allowed, so the walk is bounded instead of memoized.
 */
export function checkResult(root: PickleItem): PyValue {
  let visited = 0;
  const visit = (item: PickleItem, depth: number): void => {
    checkLimit("pickleDepth", depth, "pickle");
    if (++visited > LIMITS.pickleWalk) checkLimit("pickleWalk", visited, "pickle");
    if (item.kind === "global" || item.kind === "storage") throw pickleError(`its result contains a bare ${item.kind}`);
    if (item.kind === "dict") {
      for (const [key, value] of item.entries) {
        visit(key, depth + 1);
        visit(value, depth + 1);
      }
    } else if (item.kind === "object") {
      for (const [, value] of item.attributes) visit(value, depth + 1);
    } else if (item.kind === "tuple" || item.kind === "list" || item.kind === "set") {
      for (const child of item.items) visit(child, depth + 1);
    }
  };
  visit(root, 0);
  return root as PyValue;
}
