import { expect, it } from "vitest";
import { type LibtorchReport, printLibtorch } from "./examine.ts";

const found = { path: "/there/torch", version: "2.13.0+cpu", build: "cpu", cxx11Abi: true } as const;
const nothing: LibtorchReport = { places: [], found: null, addon: null, info: null, problem: null };

it("the libtorch report lists the searched places, and how to install one", () => {
  const places = [{ name: "PT2_LIBTORCH", path: null, finding: "not set" }];
  expect(printLibtorch({ ...nothing, places })).toBe(
    "\nlibtorch: none found; `npx @pt2/cli libtorch install` installs one\n  PT2_LIBTORCH  not set\n",
  );
});

it("the libtorch report says whether the module has to be compiled or cannot be loaded", () => {
  expect(printLibtorch({ ...nothing, found })).toContain(
    "Native module: not compiled yet; `npx @pt2/cli libtorch build`",
  );
  const broken = { ...nothing, found, addon: "/cache/it.node", problem: "it broke" };
  expect(printLibtorch(broken)).toContain("Native module: /cache/it.node\nit broke\n");
});

it("the libtorch report describes processor and devices", () => {
  const info = {
    version: "2.13.0",
    cpuCapability: "AVX512",
    multipliesBfloat16: true,
    threads: 2,
    mkldnn: true,
    mkl: false,
  };
  const devices = [{ name: "NVIDIA H200", totalBytes: 150e9, capability: "9.0" }];
  const report = { ...nothing, found, addon: "/cache/it.node" };
  const gpu = printLibtorch({ ...report, info: { ...info, cuda: { version: "13.0", devices } } });
  expect(gpu).toContain("CPU      AVX512, 2 threads, oneDNN yes, MKL no\n");
  expect(gpu).toContain("CUDA     13.0\n  cuda:0   NVIDIA H200, 150 GB, compute capability 9.0\n");
  expect(printLibtorch({ ...report, info: { ...info, cuda: { version: "13.0", devices: [] } } })).toContain(
    "13.0, no device",
  );
  expect(printLibtorch({ ...report, info: { ...info, cuda: "a build for the CPU" } })).toContain(
    "CUDA     a build for the CPU\n",
  );
});
