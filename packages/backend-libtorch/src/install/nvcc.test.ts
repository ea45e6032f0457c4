import { join } from "node:path";
import { failureOf } from "@pt2/conformance";
import { beforeEach, expect, it } from "vitest";
import { fakeCommand, temporaryFolder, writeFiles } from "./fakes.test-helper.ts";
import type { Libtorch } from "./libtorch.ts";
import { findNvcc } from "./nvcc.ts";

let libtorch: Libtorch;

/** Of a CUDA that no machine has. */
beforeEach(async () => {
  const path = join(await temporaryFolder(), "torch");
  await writeFiles(path, { "version.py": "cuda: Optional[str] = '99.0'\n" });
  libtorch = { path, version: "2.99.0+cu990", build: "cuda", cxx11Abi: true };
});

/** Makes a toolkit whose nvcc says what release it is, and returns its folder. */
async function toolkit(release: string): Promise<string> {
  const root = await temporaryFolder();
  await fakeCommand("nvcc", `echo "Cuda compilation tools, release ${release}, V${release}.1"`, join(root, "bin"));
  return root;
}

it("takes the nvcc of a toolkit that a variable names, before one on the PATH, if it is of libtorch's major version", async () => {
  const [named, other, old] = [await toolkit("99.1"), await toolkit("99.2"), await toolkit("98.0")];
  const onPath = { PATH: join(other, "bin") };
  const named99 = { compiler: join(named, "bin/nvcc"), release: "99.1" };
  expect(await findNvcc(libtorch, { ...onPath, CUDA_HOME: named })).toEqual(named99);
  expect(await findNvcc(libtorch, { ...onPath, CUDA_HOME: old, CUDA_PATH: named })).toEqual(named99);
  const other99 = { compiler: join(other, "bin/nvcc"), release: "99.2" };
  expect(await findNvcc(libtorch, { ...onPath, CUDA_HOME: old })).toEqual(other99);
});

it("says which others it found where none fits", async () => {
  const old = await toolkit("98.0");
  const failure = await failureOf(findNvcc(libtorch, { PATH: "", CUDA_HOME: old }));
  expect(failure).toMatchObject({
    code: "libtorch.no-nvcc",
    what: expect.stringContaining("no nvcc of CUDA 99"),
    where: expect.stringContaining(`${join(old, "bin/nvcc")} (98.0)`),
  });
});
