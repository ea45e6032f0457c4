import { type PlanDevice, type PlannedCall, PlanningContext, type PlanTarget } from "@pt2/engine";
import { describeNode, type LoweredTensor } from "@pt2/registry";
import type { Dispatch } from "../shader/dispatch.ts";
import { type Guard, Shader, type ShaderHost, type ShaderResult } from "../shader/shader.ts";
import type { Adapter } from "./adapter.ts";
import type { Device } from "./device.ts";
import type { KernelCall, WebgpuTypes } from "./kernel.ts";
import type { Pipelines } from "./pipelines.ts";
import type { Buffer } from "./tensor-view.ts";
import type { HostStep } from "./webgpu-step.ts";

/** What kernels of this backend plan with. */
export class WebgpuContext extends PlanningContext<WebgpuTypes> implements KernelCall, ShaderHost {
  readonly adapter: Adapter;
  readonly #pipelines: Pipelines;

  constructor(
    device: PlanDevice<WebgpuTypes> & { readonly gpu: Device },
    target: PlanTarget<WebgpuTypes>,
    planned?: PlannedCall<WebgpuTypes>,
  ) {
    super(device, target, planned);
    this.adapter = device.gpu.adapter;
    this.#pipelines = device.gpu.pipelines;
  }

  shader(name: string): Shader {
    return new Shader(name, this);
  }

  host(step: HostStep): void {
    this.step({ kind: "host", step });
  }

  /** Compiling starts while the rest is planned. A failure is reported when the work is made ready. */
  add(dispatch: Dispatch): void {
    this.step({ kind: "dispatch", dispatch });
    this.#pipelines.get(dispatch).catch(() => {});
  }

  guard(guard: Guard): { readonly buffer: Buffer; readonly slot: number } {
    const node = this.target.calls.at(-1)?.node;
    return this.target.notes.add(guard, node && describeNode(node));
  }

  result(index: number): ShaderResult {
    const view = this.output(index);
    const { dtype } = this.call.results[index] as LoweredTensor;
    return { view, dtype, epilogue: index === 0 ? this.planned.epilogue : null };
  }
}
