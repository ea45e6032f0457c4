import type { HandlerInitials } from "@pt2/engine";
import { bindWeights, type ProgramState, programWeights } from "@pt2/engine";
import type { Node } from "@pt2/graph";
import type { HandlerContext } from "@pt2/registry";
import { loadKernels } from "../instantiate.ts";
import { SharedTeam } from "../threads/shared-team.ts";
import { ALONE } from "../threads/team.ts";
import type { EngineRequest } from "./engine-request.ts";
import type { WasmTypes } from "./kernel.ts";
import { WasmDevice } from "./wasm-device.ts";
import { WasmEngine } from "./wasm-engine.ts";
import { kernelsOf, targetOf } from "./wasm-target.ts";
import { bytesOf, WeightRecords } from "./weight-records.ts";

/** Makes everything that one executable works with: a memory of its own, kernels in it, and views of the weights. */
export async function createEngine(
  request: EngineRequest,
  initials: HandlerInitials,
): Promise<{
  readonly engine: WasmEngine;
  readonly weights: ProgramState<number>;
}> {
  const { program, registry, prefetch, signal, onProgress, pool } = request;
  const records = prefetch instanceof WeightRecords ? prefetch : newRecords(request);
  const { heap, readAhead } = records;
  const team = pool === null ? ALONE : new SharedTeam(pool, heap.memory);
  const kernelTable = kernelsOf(registry);
  const device = new WasmDevice({
    heap,
    readAhead,
    kernelTable,
    exact: request.precision === "exact",
    random: request.random,
    team,
    instantiate: await loadKernels(),
  });
  const storage = {
    record: records.of.bind(records),
    allocate: (bytes: number) => device.loader.allocate(bytes),
  };
  const weights = bindWeights<WasmTypes>(program, request.weights, storage, device);
  const wanted = new Set(weights.records);
  let read = 0;
  records.watch((record) => {
    if (!wanted.has(record)) return;
    read += record.bytes;
    onProgress?.({ stage: "weights", done: read, total: weights.bytes });
  });
  const handlerContext = (node: Node): HandlerContext => ({
    backend: "wasm",
    initial: (arg) => initials.get(node)?.get(arg),
  });
  const lowerOptions = { registry, target: targetOf(kernelTable), handlerContext };
  return { engine: new WasmEngine(device, lowerOptions, request.cancellation ?? signal), weights };
}

function newRecords({ program, weights, signal, pool }: EngineRequest): WeightRecords {
  const bytes = bytesOf(programWeights(program, weights).map(({ weight }) => weight));
  return new WeightRecords(signal, { shared: pool !== null, bytes });
}
