import { backendError } from "@pt2/backend";
import { DTYPES, reachOf, type WeightTensor } from "@pt2/format";
import { isStateMutation, type Program, type ValueType } from "@pt2/graph";

/** A placeholder of a program that is not a user input, and the weight for it. */
export interface ProgramWeight {
  /** The name of the placeholder's value. */
  readonly value: string;
  /** The fully qualified name. */
  readonly target: string;
  readonly weight: WeightTensor;
  /** Whether runs write it. */
  readonly written: boolean;
}

/** Lists the weights that a program takes, each checked against the archive and the program. Nothing is read yet. */
export function programWeights(program: Program, weights: ReadonlyMap<string, WeightTensor>): readonly ProgramWeight[] {
  const written = new Set(program.outputs.filter(isStateMutation).map(({ target }) => target));
  return program.inputs.flatMap((spec): readonly ProgramWeight[] => {
    if (spec.kind !== "parameter" && spec.kind !== "buffer" && spec.kind !== "tensor_constant") return [];
    const { kind, target, value } = spec;
    const weight = weights.get(target);
    if (weight === undefined) {
      throw backendError("backend.missing-weight", {
        what: `The program needs ${kind} "${target}", which the archive does not have`,
        advice: "Export the program again; the file is incomplete.",
        details: { target },
      });
    }
    checkWeight(target, weight, program.graph.values.get(value));
    return [{ value, target, weight, written: written.has(target) }];
  });
}

/** Refuses a weight whose bytes are not in the file, or that is not the tensor that the program was exported with. */
function checkWeight(target: string, weight: WeightTensor, declared: ValueType | undefined): void {
  const { dtype, shape, strides, storageOffset, storage } = weight;
  const { first, last } = reachOf({ shape, strides, offset: storageOffset });
  const bytes = (last + 1) * DTYPES[dtype].itemsize;
  if (first <= last && bytes > storage.nbytes) {
    throw backendError("backend.missing-weight", {
      what: `"${target}" takes ${bytes} bytes, but the archive has ${storage.nbytes}`,
      advice: "The program was exported with fake weights, or the file is damaged: export it with real ones.",
      details: { target },
    });
  }
  if (declared === undefined) return;
  const fits =
    declared.kind === "tensor" &&
    declared.dtype === dtype &&
    declared.shape.length === shape.length &&
    declared.shape.every((size, d) => typeof size === "object" || Number(size) === shape[d]);
  if (fits) return;
  throw backendError("backend.weight-mismatch", {
    what: `"${target}" is a ${dtype} tensor of shape [${shape.join(", ")}] in the archive, but the program declares another tensor`,
    advice: "The weights and the program come from different exports: save the program again.",
    details: { target },
  });
}
