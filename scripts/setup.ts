// Gets what tests beyond Node need, inside this folder only: `pnpm run setup`.
import { findChromium } from "./chromium.ts";
import { setUpLibtorch } from "./set-up-libtorch.ts";
import { setUpPython } from "./set-up-python.ts";
import { setUpVulkan } from "./set-up-vulkan.ts";

const python = await setUpPython(console.log);
console.log("python" in python ? `PyTorch: ${python.python}` : `PyTorch: skipped: ${python.missing}`);
if ("python" in python) process.env.PT2_PYTHON = python.python;
const native = await setUpLibtorch(console.log);
console.log(
  `libtorch: ${"file" in native ? native.file : "missing" in native ? `skipped: ${native.missing}` : native.failed}`,
);
const vulkan = await setUpVulkan();
console.log(`WebGPU in Node: ${"adapter" in vulkan ? vulkan.adapter : `skipped: ${vulkan.missing}`}`);
console.log(`Chromium: ${findChromium() ?? "skipped: none found; install one, or set PT2_CHROMIUM to its path"}`);
if ("failed" in native) process.exitCode = 1;
