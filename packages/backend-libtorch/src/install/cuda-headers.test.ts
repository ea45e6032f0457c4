import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { cudaHeaders } from "./cuda-headers.ts";
import { fakeLibtorch, temporaryFolder, writeFiles } from "./fakes.test-helper.ts";
import type { Libtorch } from "./libtorch.ts";

const RUNTIME = ["cuda_runtime_api.h", "crt/host_defines.h"];
const LIBRARIES = ["cusparse.h", "cublas_v2.h", "cusolverDn.h"];

/** Of a CUDA that no machine has. */
let libtorch: Libtorch;
beforeEach(async () => {
  const path = await fakeLibtorch();
  await writeFiles(path, { "version.py": "cuda: Optional[str] = '99.0'\n" });
  libtorch = { path, version: "2.99.0+cu990", build: "cuda", cxx11Abi: true };
});

async function toolkit(version: number, files: readonly string[], folder?: string): Promise<string> {
  const root = folder ?? (await temporaryFolder());
  await writeFiles(join(root, "include"), { "cuda.h": `#define CUDA_VERSION ${version}\n` });
  await writeFiles(join(root, "include"), Object.fromEntries(files.map((file) => [file, ""])));
  return root;
}

it("takes a complete toolkit of libtorch's major version", async () => {
  const good = await toolkit(99010, [...RUNTIME, ...LIBRARIES]);
  expect(await cudaHeaders(libtorch, { CUDA_HOME: good })).toEqual([join(good, "include")]);
  expect(await cudaHeaders({ ...libtorch, build: "cpu" }, { CUDA_HOME: good })).toEqual([]);
  const other = await toolkit(12060, [...RUNTIME, ...LIBRARIES]);
  expect(await cudaHeaders(libtorch, { CUDA_HOME: other })).toEqual([]);
  expect(await cudaHeaders(libtorch, { CUDA_HOME: other, CUDA_PATH: good })).toEqual([join(good, "include")]);
});

it("completes a toolkit by what pip installed beside torch", async () => {
  const partial = await toolkit(99010, RUNTIME);
  expect(await cudaHeaders(libtorch, { CUDA_HOME: partial })).toEqual([]);
  const pip = join(libtorch.path, "../nvidia/cu99");
  await toolkit(99020, ["cuda_runtime_api.h", ...LIBRARIES], pip);
  expect(await cudaHeaders(libtorch, { CUDA_HOME: partial })).toEqual(
    [partial, pip].map((root) => join(root, "include")),
  );
  expect(await cudaHeaders(libtorch, {})).toEqual([]);
});
