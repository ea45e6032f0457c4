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
  const next = new Map<number, NativeTensor>();
  for (const { input, tensor } of written) {
    if (plan.inputs[input]!.kind === "user_input") tensor.dispose();
    else next.set(input, tensor);
  }
  for (const { output, target } of commits) {
    const input = plan.inputs.findIndex((spec) => "target" in spec && spec.target === target);
    if (input >= 0) next.set(input, requireFit(target, state.get(target)!, outputs[output]));
  }
  for (const [input, tensor] of next) {
    const spec = plan.inputs[input]!;
    if (!("target" in spec)) continue;
    plan.bind(input, tensor);
    state.get(spec.target)?.dispose();
    state.set(spec.target, tensor);
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
