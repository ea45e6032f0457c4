import { atOnce, type PlanDevice, type PlannedCall, PlanningContext, type PlanTarget } from "@pt2/engine";
import type { Kernels } from "../kernels.gen.ts";
import type { Team } from "../threads/team.ts";
import { type Clamp, clampOf } from "./clamp.ts";
import type { HeapArrays } from "./heap.ts";
import type { KernelCall, WasmTypes } from "./kernel.ts";
import { writtenBy } from "./written-by.ts";

/** Bounds that leave every float unchanged. */
export const NO_CLAMP: Clamp = { lo: Number.NEGATIVE_INFINITY, hi: Number.POSITIVE_INFINITY };

/** What kernels of this backend plan with. */
export class WasmContext extends PlanningContext<WasmTypes> implements KernelCall {
  readonly heap: HeapArrays;
  readonly kernels: Kernels;
  readonly team: Team;
  readonly #packaged: boolean;

  constructor(
    device: PlanDevice<WasmTypes> & Pick<KernelCall, "heap" | "kernels" | "team">,
    target: PlanTarget<WasmTypes>,
    planned?: PlannedCall<WasmTypes>,
  ) {
    super(device, target, planned);
    this.heap = device.heap;
    this.kernels = device.kernels;
    this.team = device.team;
    this.#packaged = planned?.call.packaged ?? false;
  }

  /** A step that a kernel of an op set wrote is checked in each run; loops and copies are this package's own. */
  override step(step: () => unknown): void {
    super.step(this.#packaged && writtenBy(step) === undefined ? () => void atOnce(step()) : (step as () => void));
  }

  get clamp(): Clamp {
    const { epilogue } = this.planned;
    return epilogue === null ? NO_CLAMP : clampOf(epilogue.expr)!;
  }
}
