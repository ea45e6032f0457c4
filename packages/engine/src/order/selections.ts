import { selectKth, selectMode } from "./select.ts";
import { nthElement, type Ordered } from "./sort.ts";
import { stableSort } from "./stable-sort.ts";

/** An op that finds one element of each slice along a dimension, `op(self, …, dim, keepdim) -> (values, indices)`. */
interface Selection {
  /** Whether keys are the elements themselves, NaN too. */
  readonly raw: boolean;
  /** Returns the position of the element that it finds. `k` is an argument of `kthvalue` alone. */
  pick(ordered: Ordered, k: number | undefined): number;
}

/** The ops of these kernels. */
export const SELECTION_OPS = ["aten::kthvalue", "aten::mode", "aten::nanmedian.dim"] as const;

/** What these ops find, and which of equal elements. */
export const SELECTIONS: Readonly<Record<(typeof SELECTION_OPS)[number], Selection>> = {
  "aten::kthvalue": {
    raw: false,
    pick: (ordered, k) => {
      const rank = k! - 1;
      selectKth(ordered, rank);
      return ordered.at[rank]!;
    },
  },
  "aten::mode": { raw: true, pick: selectMode },
  "aten::nanmedian.dim": { raw: true, pick: selectNanMedian },
};

/**
 * Returns the median of the elements that are numbers, of equal ones in the order of their positions; or some NaN where
 * all are NaN.
 */
function selectNanMedian({ keys, at }: Ordered): number {
  const numbers = at.filter((position) => !Number.isNaN(keys[position]));
  if (numbers.length === 0) {
    nthElement({ keys, at }, 0, 0, at.length);
    return at[0]!;
  }
  stableSort({ keys, at: numbers });
  return numbers[(numbers.length - 1) >> 1]!;
}
