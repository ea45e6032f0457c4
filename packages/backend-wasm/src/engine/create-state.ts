import type { Node } from "@pt2/graph";
import type { ArgValue, HandlerContext, LowerTarget, OpRegistry } from "@pt2/registry";
import { instantiateKernels } from "../instantiate.ts";
import { DYNAMIC_KERNELS, KERNELS } from "../kernels/index.ts";
import type { Constant } from "./constant.ts";
import { ConstantPool } from "./constant-pool.ts";
import { createElementwise } from "./elementwise.ts";
import type { EngineRequest } from "./engine-request.ts";
import type { ExecutableState } from "./executable-state.ts";
import { isEvalBatchNorm } from "./fold-batch-norm.ts";
import type { HandlerInitials } from "./handler-initials.ts";
import type { WasmKernel } from "./kernel.ts";
import { KernelSet } from "./kernel-set.ts";
import { LIMITS } from "./limits.ts";
import { Arena } from "./place.ts";
import { bindWeights, type ProgramState } from "./program-state.ts";
import type { Services } from "./services.ts";
import { WeightRecords } from "./weight-records.ts";

const dynamicKernels = new Map(DYNAMIC_KERNELS.flatMap((kernel) => kernel.ops.map((op) => [op, kernel] as const)));

/** The kernels for a registry: those that op packages bring come first. */
export function kernelsOf(registry: OpRegistry): KernelSet {
  return new KernelSet([...(registry.kernelsFor("wasm") as readonly WasmKernel[]), ...KERNELS]);
}

/** What the backend runs itself; also the answer to `unsupported`. */
export function targetOf(kernels: KernelSet): LowerTarget {
  return {
    name: "wasm",
    maxTensorBytes: LIMITS.tensorBytes,
    isNative: (op: string, args: Readonly<Record<string, ArgValue>>) =>
      kernels.find(op, args) !== undefined || isEvalBatchNorm(op, args),
  };
}

/** Whether a data-dependent op has a kernel. */
export function hasDynamicKernel(op: string): boolean {
  return dynamicKernels.has(op);
}

/** Everything that one executable works with: a memory of its own, kernels in it, and the weights' places. */
export function createState(
  request: EngineRequest,
  initials: HandlerInitials,
): {
  readonly state: ExecutableState;
  readonly weights: ProgramState;
} {
  const { program, registry, prefetch, signal, onProgress } = request;
  const records = prefetch instanceof WeightRecords ? prefetch : new WeightRecords(signal);
  const { heap } = records;
  const kernels = instantiateKernels(heap.memory);
  const elementwise = createElementwise(heap);
  const services: Services = {
    heap,
    kernels,
    exact: request.precision === "exact",
    ...elementwise,
    get constants() {
      return pool;
    },
  };
  const pool = new ConstantPool(services, records.readAhead);
  let read = 0;
  const weights = bindWeights(program, request.weights, records, (bytes, total) => {
    read += bytes;
    onProgress?.({ stage: "weights", done: read, total });
  });
  const kernelSet = kernelsOf(registry);
  const handlerContext = (node: Node): HandlerContext => ({
    backend: "wasm",
    initial: (arg) => initials.get(node)?.get(arg),
  });
  const state: ExecutableState = {
    services,
    constants: pool,
    kernels: kernelSet,
    arena: new Arena(heap),
    lowerOptions: { registry, target: targetOf(kernelSet), handlerContext },
    dynamic: dynamicKernels,
    stages: { count: 0 },
    async settle(constants: readonly Constant[]) {
      await pool.settle(constants, () => (request.cancellation ?? signal)?.throwIfAborted());
    },
  };
  return { state, weights };
}
