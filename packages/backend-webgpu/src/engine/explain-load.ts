import { type Constant, type ConstantPool, ConstantWork } from "@pt2/engine";
import type { WebgpuTypes } from "./kernel.ts";
import { describeStep, type NeededConstant } from "./plan.ts";
import type { ShaderNames } from "./shader-names.ts";

/** What is computed from weights when a plan is made. */
export interface LoadWork {
  /**
   * One line for each tensor: which node needs it, and which shaders compute it from which weights. Empty when there is
   * none.
   */
  readonly text: string;
  /** The WGSL, by the names in the text. */
  readonly shaders: ReadonlyMap<string, string>;
}

/** Explains what runs once, when weights are brought to the device, and what of it stays there. */
export function explainLoad(
  needed: readonly NeededConstant[],
  pool: ConstantPool<GPUBuffer>,
  names: ShaderNames,
): LoadWork {
  const lines: string[] = [];
  const shaders = new Map<string, string>();
  const seen = new Set<Constant<GPUBuffer>>();
  let dispatches = 0;
  const visit = (constant: Constant<GPUBuffer>, node: string): void => {
    if (seen.has(constant)) return;
    seen.add(constant);
    for (const input of constant.inputs) visit(input, node);
    const { inputs, label, bytes, pins } = constant;
    const computed = pool.workOf(constant);
    const work: WebgpuTypes["step"][] = computed instanceof ConstantWork ? computed.steps : [];
    if (work.length === 0) return;
    for (const item of work) {
      if (item.kind !== "dispatch") continue;
      dispatches++;
      shaders.set(names.of(item.dispatch), item.dispatch.code);
    }
    const from = inputs.length === 0 ? "" : ` of ${inputs.map((input) => input.label).join(", ")}`;
    const by = work.map((item) => describeStep(item, names)).join(", ");
    lines.push(`${node}: ${label}${from} → ${by} (${bytes} bytes${pins > 0 ? "" : ", given back"})`);
  };
  for (const { constant, node } of needed) visit(constant, node);
  const head = `# at load: ${lines.length} tensors from weights, ${dispatches} dispatches`;
  return { text: lines.length === 0 ? "" : [head, ...lines].join("\n"), shaders };
}
