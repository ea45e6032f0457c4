import type { Call, LoweredTensor } from "@pt2/registry";
import { callsOf, operandsOf, type Step } from "../fuse.ts";

/** What a tensor is of the one that it is joined to: `whole`, from `at` on along `dim`. */
export interface JoinedPart {
  readonly whole: LoweredTensor;
  readonly dim: number;
  readonly at: number;
}

/**
 * Finds the tensors that are joined and may lie in the whole from the beginning, so that nothing is copied: all that reads them
 * reads tensors whose elements lie between others, as loops do and the calls that `readsParts` tells of.
 */
export function joinedParts(
  steps: readonly Step<unknown>[],
  readsParts: (call: Call) => boolean,
): ReadonlyMap<LoweredTensor, JoinedPart> {
  const parts = new Map<LoweredTensor, JoinedPart>();
  const joins = steps.flatMap((step) => (step.kind === "call" && isJoin(step.call) ? [step.call] : []));
  if (joins.length === 0) return parts;
  const others = steps.flatMap(callsOf).filter((call) => call.scalar === undefined && !readsParts(call));
  const readWhole = new Set(others.flatMap(operandsOf));
  for (const { args, record, results } of joins) {
    const whole = results[0] as LoweredTensor;
    const rank = whole.shape.length;
    const dim = ((args.dim as number) + rank) % rank;
    const tensors = args[record.schema.args[0]!.name] as readonly LoweredTensor[];
    let at = 0;
    // PyTorch skips one-dimensional empty operands whatever the rank.
    for (const tensor of tensors.filter(({ shape }) => shape.length === rank)) {
      const fits = tensor.dtype === whole.dtype && !readWhole.has(tensor) && !parts.has(tensor);
      if (fits) parts.set(tensor, { whole, dim, at });
      at += tensor.shape[dim]!;
    }
  }
  return parts;
}

function isJoin({ record, packaged, results }: Call): boolean {
  return record.joins === true && packaged !== true && (results[0] as LoweredTensor).shape.length > 0;
}
