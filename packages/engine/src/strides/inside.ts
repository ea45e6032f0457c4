import { backendError } from "@pt2/backend";
import { reachOutside } from "@pt2/format";
import type { Strided } from "@pt2/registry";

/**
 * Checks that a view stays inside a buffer of `elements` elements, whatever rule produced its geometry: kernels do not
 * check offsets. This is the last check before memory; lowering has refused what is wrong with the program itself.
 */
export function checkInside(view: Strided, elements: number): void {
  const outside = reachOutside(view, elements);
  if (outside === undefined) return;
  const { first, last } = outside;
  const { shape, strides, offset } = view;
  throw backendError("backend.view-bounds", {
    what: `A view of shape [${shape.join(", ")}], strides [${strides.join(", ")}] and offset ${offset} reaches elements ${first} to ${last} of a buffer of ${elements}`,
    advice: "Report the program: the op's record should have refused these arguments.",
  });
}
