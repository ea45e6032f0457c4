import {
  type HostData,
  locate,
  numberOf,
  type RunHooks,
  type StageEngine,
  type StageRequest,
  type TensorData,
} from "@pt2/engine";
import type { LoweredTensor, LowerOptions, RunNumber } from "@pt2/registry";
import { loading } from "@pt2/registry/on-demand";
import { readPlace, writeElement, writePlace } from "./elements.ts";
import type { ExecutableState } from "./executable-state.ts";
import { addressOf, type Place } from "./place.ts";
import { planStage, type WasmPlan } from "./plan.ts";

/** Runs stages in one WebAssembly memory. Plans share an arena, in which each begins where those before it end. */
export class WasmEngine implements StageEngine<Place, WasmPlan> {
  readonly lowerOptions: LowerOptions;
  readonly exact: boolean;
  readonly state: ExecutableState;

  constructor(state: ExecutableState, lowerOptions: LowerOptions) {
    this.state = state;
    this.lowerOptions = lowerOptions;
    this.exact = state.services.exact;
  }

  isConstant({ buffer }: Place): boolean {
    return buffer.constant !== null;
  }

  async plan({ stage, places, inputs, after }: StageRequest<Place, WasmPlan>): Promise<WasmPlan> {
    const { services, kernels, arena, settle } = this.state;
    const given = { places, inputs, arenaStart: after?.arenaEnd ?? 0 };
    // In a worker, what a view of a user's own op makes of strides may have to be asked for.
    const plan = await loading(() => planStage(stage, given, services, kernels, arena));
    try {
      await settle(plan.constants);
    } catch (error) {
      // An abort passes as it is; so does a failure to read.
      throw error instanceof WebAssembly.RuntimeError ? locate(error, []) : error;
    }
    return plan;
  }

  write(
    plan: WasmPlan,
    tensors: readonly LoweredTensor[],
    values: readonly TensorData[],
    numbers: readonly RunNumber[],
  ): void {
    const { constants, arena, services } = this.state;
    const { heap } = services;
    constants.finish();
    arena.reserve(plan.arenaEnd, arena.bytes);
    for (let i = 0; i < tensors.length; i++) {
      writePlace(heap, plan.place(tensors[i]!), (values[i] as HostData).bytes);
    }
    for (const number of numbers) {
      writeElement(heap, number.dtype, addressOf(plan.place(number)), numberOf(number.number.value));
    }
  }

  execute(plan: WasmPlan, { observe, signal }: RunHooks): void {
    for (const { runs, calls } of plan.steps) {
      signal?.throwIfAborted();
      const start = observe === undefined ? 0 : performance.now();
      try {
        for (const run of runs) run();
      } catch (error) {
        throw locate(error, calls);
      }
      observe?.(calls, start, performance.now() - start);
    }
  }

  read(plan: WasmPlan, tensors: readonly LoweredTensor[]): readonly HostData[] {
    const { heap } = this.state.services;
    return tensors.map((tensor) => ({
      dtype: tensor.dtype,
      shape: tensor.shape,
      bytes: readPlace(heap, plan.place(tensor)),
    }));
  }

  release(plan: WasmPlan): void {
    this.state.constants.release(plan.constants);
  }
}
