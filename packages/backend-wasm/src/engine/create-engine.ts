import type { HandlerInitials } from "@pt2/engine";
import type { Node } from "@pt2/graph";
import type { HandlerContext } from "@pt2/registry";
import { instantiateKernels } from "../instantiate.ts";
import type { Constant } from "./constant.ts";
import { ConstantPool } from "./constant-pool.ts";
import { createElementwise } from "./elementwise.ts";
import type { EngineRequest } from "./engine-request.ts";
import { Arena } from "./place.ts";
import { bindWeights, type ProgramState } from "./program-state.ts";
import type { Services } from "./services.ts";
import { WasmEngine } from "./wasm-engine.ts";
import { kernelsOf, targetOf } from "./wasm-target.ts";
import { WeightRecords } from "./weight-records.ts";

/** Everything that one executable works with: a memory of its own, kernels in it, and the weights' places. */
export function createEngine(
  request: EngineRequest,
  initials: HandlerInitials,
): {
  readonly engine: WasmEngine;
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
  const engine = new WasmEngine(
    {
      services,
      constants: pool,
      kernels: kernelSet,
      arena: new Arena(heap),
      async settle(constants: readonly Constant[]) {
        await pool.settle(constants, () => (request.cancellation ?? signal)?.throwIfAborted());
      },
    },
    { registry, target: targetOf(kernelSet), handlerContext },
  );
  return { engine, weights };
}
