import { DTYPES, reachOf, type WeightTensor } from "@pt2/format";
import type { ValueType } from "@pt2/graph";
import { fitsType } from "../encode/commits.ts";
import { libtorchError } from "../libtorch-errors.ts";

/**
 * Returns the weight of a program's placeholder, if the archive has it, has its bytes, and it is what the program
 * declares.
 */
export function requireWeight(
  target: string,
  weight: WeightTensor | undefined,
  declared: ValueType | undefined,
): WeightTensor {
  if (weight === undefined) {
    throw libtorchError("libtorch.missing-weight", {
      what: `The program needs "${target}", which the archive does not have`,
      advice: "Export the program again; the file is incomplete.",
      details: { target },
    });
  }
  const { dtype, shape, strides, storageOffset, storage } = weight;
  const { first, last } = reachOf({ shape, strides, offset: storageOffset });
  const bytes = (last + 1) * DTYPES[dtype].itemsize;
  if (first <= last && bytes > storage.nbytes) {
    throw libtorchError("libtorch.missing-weight", {
      what: `"${target}" takes ${bytes} bytes, but the archive has ${storage.nbytes}`,
      advice: "The program was exported with fake weights, or the file is damaged: export it with real ones.",
      details: { target },
    });
  }
  if (declared === undefined || (declared.kind === "tensor" && fitsType(declared, dtype, shape))) return weight;
  throw libtorchError("libtorch.weight-mismatch", {
    what: `"${target}" is a ${dtype} tensor of shape [${shape.join(", ")}] in the archive, but the program declares another tensor`,
    advice: "The weights and the program come from different exports: save the program again.",
    details: { target },
  });
}
