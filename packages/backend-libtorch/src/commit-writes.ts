import type { NativeTensor } from "./addon.ts";
import type { CompiledProgram } from "./compile-program.ts";
import { libtorchError } from "./libtorch-errors.ts";
import { isNativeTensor } from "./native-tensor.ts";
import type { Done } from "./plan/compiled-plan.ts";

/**
 * Makes what a run wrote to weights and buffers their value for the runs that start after it. What it wrote to user
 * inputs is dropped: they are never modified.
 */
export function commitWrites({ plan, commits, state }: CompiledProgram, { written, outputs }: Done): void {
  const next = new Map<string, NativeTensor>();
  for (const { input, tensor } of written) {
    const spec = plan.inputs[input]!;
    if ("target" in spec) next.set(spec.target, tensor);
    else tensor.dispose();
  }
  for (const { output, target } of commits) {
    const old = state.get(target);
    if (old !== undefined) next.set(target, requireFit(target, old, outputs[output]));
  }
  for (const [target, tensor] of next) {
    // One that no node reads is no input of the plan.
    const input = plan.inputs.findIndex((spec) => "target" in spec && spec.target === target);
    if (input >= 0) plan.bind(input, tensor);
    state.get(target)?.dispose();
    state.set(target, tensor);
  }
}

/** Returns the new value of a buffer, if it has the dtype and shape of the old one. */
function requireFit(target: string, old: NativeTensor, result: Done["outputs"][number] | undefined): NativeTensor {
  if (isNativeTensor(result) && result.dtype === old.dtype && `${result.shape}` === `${old.shape}`) return result;
  const given = isNativeTensor(result) ? describe(result) : "no tensor";
  throw libtorchError("libtorch.buffer-write", {
    what: `The program writes ${given} to "${target}", ${describe(old)}`,
    advice: "The program is damaged: export it again.",
    details: { target },
  });
}

function describe({ dtype, shape }: NativeTensor): string {
  return `a ${dtype} tensor of shape [${shape.join(", ")}]`;
}
