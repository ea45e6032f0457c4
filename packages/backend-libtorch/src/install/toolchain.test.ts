import { join } from "node:path";
import { expect, it } from "vitest";
import { fakeCommand, fakeLibtorch, temporaryFolder, writeFiles } from "./fakes.test-helper.ts";
import type { Libtorch } from "./libtorch.ts";
import { cudaHeaders, findToolchain, nodeHeaders } from "./toolchain.ts";

it("finds tools on the PATH, and takes CXX and PT2_BUILD_JOBS", async () => {
  const PATH = await fakeCommand(
    "ninja",
    "",
    await fakeCommand("cmake", "", await fakeCommand("g++", "echo 'g++ 12'")),
  );
  expect(await findToolchain({ PATH, PT2_BUILD_JOBS: "3" })).toEqual({
    compiler: join(PATH, "g++"),
    compilerVersion: "g++ 12",
    cmake: join(PATH, "cmake"),
    ninja: join(PATH, "ninja"),
    jobs: 3,
  });
  const mine = join(await fakeCommand("my++", "echo mine"), "my++");
  const chosen = await findToolchain({ PATH, CXX: mine });
  expect(chosen).toMatchObject({ compiler: mine, compilerVersion: "mine" });
  expect(chosen.jobs).toBeGreaterThanOrEqual(1);
});

it("brings the headers of Node-API", () => {
  expect(nodeHeaders()).toEqual([expect.stringMatching(/node-api-headers/), expect.stringMatching(/node-addon-api/)]);
});

it("takes the CUDA headers of libtorch's major version only, and complete ones", async () => {
  const path = await fakeLibtorch();
  await writeFiles(path, { "version.py": "cuda: Optional[str] = '99.0'\n" });
  const libtorch: Libtorch = { path, version: "2.99.0+cu990", build: "cuda", cxx11Abi: true };
  const toolkit = async (version: number, complete = true): Promise<string> => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { "include/cuda.h": `#define CUDA_VERSION ${version}\n` });
    if (complete) await writeFiles(folder, { "include/crt/host_defines.h": "" });
    return folder;
  };
  const good = await toolkit(99010);
  expect(await cudaHeaders(libtorch, { CUDA_HOME: good })).toBe(join(good, "include"));
  expect(await cudaHeaders({ ...libtorch, build: "cpu" }, { CUDA_HOME: good })).toBeUndefined();
  const wrong = { CUDA_HOME: await toolkit(12060), CUDA_PATH: await toolkit(99000, false) };
  expect(await cudaHeaders(libtorch, wrong)).toBeUndefined();
  expect(await cudaHeaders(libtorch, { ...wrong, CUDA_HOME: good })).toBe(join(good, "include"));
});
