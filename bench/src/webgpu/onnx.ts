import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { hostTensor } from "@pt2/backend";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { permute } from "./permute.ts";
import type { OpenSubject, RowFiles, Subject } from "./subject.ts";

interface OnnxNames {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/**
 * Opens a row with ONNX Runtime's own binding for Node on its WebGPU execution provider, with the model that PyTorch
 * exports.
 */
export const openOnnx: OpenSubject = async (_row, { path, inputs }) => await open(path, inputs);

/**
 * Opens the same with convolutions in the order of the model's dims: ONNX Runtime changes them to channels last by
 * itself.
 */
export const openPlanarOnnx: OpenSubject = async (_row, { path, inputs }) => {
  const planes = inputs.some(({ shape }) => shape.length === 4) && inputs.length === 1;
  return planes ? await open(path, inputs, { name: "webgpu", preferredLayout: "NCHW" }) : null;
};

/** Opens the first with the node that ONNX Runtime has for attention, in the layout that it expects. */
export const openFusedOnnx: OpenSubject = async (row, { path, inputs }) => {
  if (row !== "attention" || !existsSync(`${path}_fused.onnx`)) return null;
  const [, heads, length, size] = inputs[0]!.shape as readonly [number, number, number, number];
  const rows = inputs.map((input) =>
    hostTensor(input.dtype, [1, length, heads * size], permute(input, [0, 2, 1, 3]).data),
  );
  return {
    ...(await open(`${path}_fused`, rows)),
    arrange: ([data]) => [permute({ data: data as Float32Array, shape: [1, length, heads, size] }, [0, 2, 1, 3]).data],
  };
};

async function open(
  path: string,
  inputs: RowFiles["inputs"],
  provider: InferenceSession.WebGpuExecutionProviderOption = { name: "webgpu" },
): Promise<Subject> {
  const session = await InferenceSession.create(`${path}.onnx`, {
    executionProviders: [provider],
    graphOptimizationLevel: "all",
    // The part that runs on the CPU must not spin while another runtime is measured.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    extra: { session: { intra_op: { allow_spinning: "0" } } },
    logSeverityLevel: 3,
  });
  const names = JSON.parse(await readFile(`${path}.onnx.json`, "utf8")) as OnnxNames;
  const feeds = (): Record<string, Tensor> =>
    Object.fromEntries(
      inputs.map(({ dtype, data, shape }, i) => [
        names.inputs[i]!,
        new Tensor(dtype as "float32", data as Float32Array, [...shape]),
      ]),
    );
  return {
    run: async () => {
      const results = await session.run(feeds());
      return names.outputs.map((name) => results[name]!.data as ArrayLike<number>);
    },
  };
}
