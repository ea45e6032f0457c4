import type { DType } from "../dtype.ts";
import { formatError } from "../format-errors.ts";
import { checkLimit, LIMITS } from "../limits.ts";
import type { PyValue } from "../sample-inputs.ts";
import type { Storage } from "../weight-tensor.ts";

/** What the pickle machine handles: Python values, and things that must not be left in the result. */
export type PickleItem = PyValue | PickleGlobal | PickleStorage;

/** A name from the allow-list. */
export interface PickleGlobal {
  readonly kind: "global";
  readonly name: string;
  /** What calling it makes; it never runs code of the file's choosing. */
  readonly call: ((args: readonly PickleItem[]) => PickleItem) | undefined;
  /** Element type, of a storage class. */
  readonly storageDtype?: DType | "untyped";
}

/** A typed storage on its way into a tensor. */
export interface PickleStorage {
  readonly kind: "storage";
  readonly storage: Storage;
  readonly dtype: DType | "untyped";
  readonly location: string;
}

/** Containers while they are being filled. */
export type MutableList = { readonly kind: "list" | "set"; readonly items: PickleItem[] };
/** See {@link MutableList}. */
export type MutableDict = { readonly kind: "dict"; readonly entries: [PickleItem, PickleItem][] };

/** Python's None. */
export const NONE: PyValue = { kind: "none" };

/** The refusal of a damaged pickle. */
export function pickleError(what: string, cause?: unknown): Error {
  return formatError("format.pickle", {
    what: `the pickle is damaged: ${what}`,
    advice: "the file is damaged, or not written by torch.save",
    cause,
  });
}

/** A tuple's or list's items. */
export function sequence(item: PickleItem | undefined): readonly PickleItem[] {
  if (item?.kind === "tuple" || item?.kind === "list") return item.items;
  throw pickleError(`a tuple was expected, found ${item?.kind}`);
}

/** An integer that a double holds. */
export function smallInt(item: PickleItem | undefined): number {
  if (item?.kind === "int" && typeof item.value === "number") return item.value;
  throw pickleError(`an integer was expected, found ${item?.kind}`);
}

/** A str. */
export function text(item: PickleItem | undefined): string {
  if (item?.kind === "string") return item.value;
  throw pickleError(`a string was expected, found ${item?.kind}`);
}

/**
 * Proves that a result is a finite tree of Python values: nothing internal is left in it, no container holds itself, and
 * walking it ends. Sharing is allowed, so the walk is bounded instead of remembered.
 */
export function checkResult(root: PickleItem): PyValue {
  let visited = 0;
  const visit = (item: PickleItem, depth: number): void => {
    checkLimit("pickleDepth", depth, "pickle");
    if (++visited > LIMITS.pickleWalk) checkLimit("pickleWalk", visited, "pickle");
    if (item.kind === "global" || item.kind === "storage") throw pickleError(`a bare ${item.kind} is in the result`);
    if (item.kind === "dict") {
      for (const [key, value] of item.entries) {
        visit(key, depth + 1);
        visit(value, depth + 1);
      }
    } else if (item.kind === "tuple" || item.kind === "list" || item.kind === "set") {
      for (const child of item.items) visit(child, depth + 1);
    }
  };
  visit(root, 0);
  return root as PyValue;
}
