// Loads a model with the wasm backend as an application does, and prints the shape of its answer or the error's code.
import { readFileSync } from "node:fs";
import { wasm } from "@pt2/backend-wasm/node";
import { load, tensor } from "@pt2/runtime/node";

export async function answer() {
  const backend = wasm();
  try {
    const model = await load(readFileSync(process.env.PT2_FLAGS_MODEL), { backend });
    const output = await model.forward(tensor("float32", [1, 1, 8, 8], new Float32Array(64)));
    await model.dispose();
    return `answered ${output.shape}`;
  } catch (error) {
    return `refused ${error.code ?? `without a code: ${error.stack}`}`;
  } finally {
    await backend.dispose();
  }
}
