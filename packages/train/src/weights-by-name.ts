import { HostTensor } from "@pt2/backend";
import { readTensor, type WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import { memoryWeight } from "./memory-weight.ts";
import { trainError } from "./train-errors.ts";

/**
 * Replaces weights by tensors of the same dtype and shape. Those that are `tied` are replaced together, by whichever name
 * the tensor has: files of weights have one of the names.
 */
export function withValues(
  weights: ReadonlyMap<string, WeightTensor>,
  values: ReadonlyMap<string, HostTensor>,
  tied: ReadonlyMap<string, string>,
): ReadonlyMap<string, WeightTensor> {
  const ownerOf = (name: string): string => tied.get(name) ?? name;
  const byOwner = new Map<string, HostTensor>();
  for (const [name, tensor] of values) {
    const weight = weights.get(name);
    if (weight?.dtype === tensor.dtype && `${weight.shape}` === `${tensor.shape}`) {
      byOwner.set(ownerOf(name), tensor);
      continue;
    }
    const own = weight === undefined ? "does not have" : `has as ${weight.dtype} [${weight.shape.join(", ")}]`;
    throw trainError("train.options", {
      what: `\`weights\` has \`${name}\` as ${tensor.dtype} [${tensor.shape.join(", ")}], which the program ${own}`,
      details: { name },
    });
  }
  return new Map(
    [...weights].map(([name, weight]) => {
      const owner = ownerOf(name);
      const tensor = byOwner.get(owner);
      const given = tensor && memoryWeight(name, weight.kind, tensor, `trained:${owner}`);
      return [name, given === undefined ? weight : { ...given, requiresGrad: weight.requiresGrad }];
    }),
  );
}

/**
 * Returns the parameters and buffers of a program: those in `state`, and the others as they began. Those that are `tied` have
 * the tensor of the one that they are tied to.
 */
export async function presentWeights(
  { inputs }: Program,
  weights: ReadonlyMap<string, WeightTensor>,
  state: ReadonlyMap<string, HostTensor>,
  tied: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, HostTensor>> {
  const found = new Map<string, HostTensor>();
  for (const spec of inputs) {
    if (spec.kind !== "parameter" && spec.kind !== "buffer") continue;
    const [present, weight] = [state.get(spec.target), weights.get(spec.target)];
    if (present !== undefined) found.set(spec.target, present);
    else if (weight !== undefined) found.set(spec.target, await hostTensorOf(weight));
  }
  for (const [name, owner] of tied) {
    const tensor = found.get(owner);
    if (tensor !== undefined) found.set(name, tensor);
  }
  return found;
}

async function hostTensorOf(weight: WeightTensor): Promise<HostTensor> {
  const { dtype, shape, bytes } = await readTensor(weight);
  return new HostTensor(dtype, shape, bytes.slice());
}
