import type { Backend, HostTensor } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { torchvision as onLibtorch } from "@pt2/ops-torchvision/libtorch";
import { torchvision as onWasm } from "@pt2/ops-torchvision/wasm";
import type { OpSet } from "@pt2/registry";
import { load, type Tensor } from "@pt2/runtime/node";
import { worstError } from "@pt2/testing/worst-error";
import { alternate, type Effort } from "../statistics.ts";
import { ALLOWED, readTensors } from "../tensors.ts";
import { torchOp } from "./torch-op.ts";

/** The ops that `bench_detection.py` writes programs of. */
export const OPS: readonly string[] = [
  "nms_20000",
  "nms_20000_dense",
  "roi_align_1000x256",
  "roi_align_adaptive_1000x256",
  "roi_pool_1000x256",
  "ps_roi_align_1000x490",
  "ps_roi_pool_1000x490",
  "deform_conv2d_256x28",
  "deform_conv2d_64x56",
];

/** Loads the program of an op; its results must be torchvision's before anything is timed. */
async function ours(path: string, backend: Backend, ops: OpSet): Promise<() => Promise<unknown>> {
  const inputs = await readTensors(`${path}.inputs.safetensors`);
  const [expected] = (await readTensors(`${path}.expected.safetensors`)) as readonly [HostTensor];
  const model = await load(`${path}.pt2`, { backend, ops: [ops] });
  const result = await model.forward<Tensor>(...inputs);
  const error = worstError(await result.read(), await expected.read(), ALLOWED);
  if (!(error < 1)) throw new Error(`${path} on ${backend.name} differs from torchvision: ${error}`);
  return () => model.forward(...inputs);
}

/** Milliseconds of an op in torchvision, on libtorch and, with one thread, on wasm. */
export async function timeOp(
  name: string,
  { folder, python, threads }: { readonly folder: string; readonly python: string; readonly threads: number },
  effort: Effort,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const theirs = await torchOp(python, folder, name, threads);
  const path = `${folder}/${name}`;
  const subjects = {
    torchvision: () => theirs.run(),
    libtorch: await ours(path, await libtorch({ threads }), onLibtorch),
    ...(threads === 1 && { wasm: await ours(path, wasm({ worker: false, threads: 1 }), onWasm) }),
  };
  const times = await alternate<string>(subjects, effort);
  theirs.release();
  return times;
}
