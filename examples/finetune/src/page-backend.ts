import type { Backend } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm";
import { webgpu } from "@pt2/backend-webgpu";

/** WebGPU, or WebAssembly where there is none, or where the page is asked for with `?backend=wasm`. */
export async function chosenBackend(): Promise<Backend> {
  const asked = new URLSearchParams(location.search).get("backend");
  if (asked !== "wasm") {
    try {
      return await webgpu();
    } catch (problem) {
      console.info("without WebGPU:", problem instanceof Error ? problem.message : problem);
    }
  }
  return await wasm();
}
