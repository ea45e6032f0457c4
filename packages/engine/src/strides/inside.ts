import { backendError } from "@pt2/backend";
import { reachOutside } from "@pt2/format";
import type { Strided } from "@pt2/registry";

/**
 * Checks that a view stays inside a buffer of `elements` elements, whatever rule produced its geometry: kernels do not
 * check offsets. This is the last check before memory; lowering has refused what is wrong with the program itself.
 */
export function checkInside(view: Strided, elements: number): void {
  const beyond = reachBeyond(view, elements);
  if (beyond === null) return;
  throw backendError("backend.view-bounds", {
    what: `A view of ${beyond}`,
    advice: "Report the program: the op's record should have refused these arguments.",
  });
}

/** Describes a view that does not stay inside a buffer of `elements` elements; returns null for one that does. */
export function reachBeyond(view: Strided, elements: number): string | null {
  const outside = reachOutside(view, elements);
  if (outside === undefined) return null;
  const { first, last } = outside;
  const { shape, strides, offset } = view;
  return `shape [${shape.join(", ")}], strides [${strides.join(", ")}] and offset ${offset} reaches elements ${first} to ${last} of a buffer of ${elements}`;
}
