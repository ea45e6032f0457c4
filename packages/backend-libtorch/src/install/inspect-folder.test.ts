import { expect, it } from "vitest";
import { fakeLibtorch, LIBRARY, libtorchFiles, temporaryFolder, writeFiles } from "./fakes.test-helper.ts";
import { inspectFolder } from "./inspect-folder.ts";

async function problemOf(files: Readonly<Record<string, string | Uint8Array>>, inner = ""): Promise<unknown> {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  const inspection = await inspectFolder(`${folder}${inner}`);
  return "problem" in inspection ? inspection.problem : inspection.libtorch;
}

const without = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(libtorchFiles()).filter(([file]) => file !== name));

it("describes a libtorch", async () => {
  const folder = await fakeLibtorch();
  expect(await inspectFolder(folder)).toEqual({
    libtorch: { path: folder, version: "2.13.0+cpu", build: "cpu", cxx11Abi: true },
  });
});

it("knows a CUDA build and the old C++ ABI", async () => {
  const files = { "lib/libtorch_cuda.so": "", "lib/libc10.so": "\0_ZN3c106detail14torchCheckFailEPKcS2_jRKSs\0" };
  expect(await problemOf({ ...libtorchFiles(), ...files })).toMatchObject({ build: "cuda", cxx11Abi: false });
  const modern = { "lib/libc10.so": "\0_ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIc\0" };
  expect(await problemOf({ ...libtorchFiles(), ...modern })).toMatchObject({ build: "cpu", cxx11Abi: true });
});

it.each<[string, Readonly<Record<string, string>>, string]>([
  ["of pip's wheel", { "version.py": "__version__ = '2.9.1+cpu'\n" }, "2.9.1+cpu"],
  ["of the official archive", { "build-version": "2.8.0+cu129\n" }, "2.8.0+cu129"],
  [
    "of the headers",
    {
      "include/torch/headeronly/version.h":
        "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 10\n#define TORCH_VERSION_PATCH 1\n",
    },
    "2.10.1",
  ],
])("reads the version %s", async (_, files, version) => {
  expect(await problemOf({ ...without("version.py"), ...files })).toMatchObject({ version });
});

it.each<[string, Readonly<Record<string, string | Uint8Array>>, string]>([
  ["no library", without(`lib/${LIBRARY}`), "no folder lib"],
  ["another library", { ...without(`lib/${LIBRARY}`), "lib/libother.so": "" }, `no lib/${LIBRARY}`],
  [
    "another system",
    { ...without(`lib/${LIBRARY}`), "lib/torch_cpu.dll": "" },
    `lib/torch_cpu.dll is a libtorch for win32; ${LIBRARY} is needed`,
  ],
  ["no headers", without("include/ATen/ATen.h"), "libraries without headers: no include/ATen/ATen.h"],
  ["no version", without("version.py"), "no version in version.py, build-version or include/torch/**/version.h"],
  ["an old version", libtorchFiles("2.5.1+cpu"), "torch 2.5.1+cpu is too old, 2.6 or later is needed"],
  ["the folder around it", { "libtorch/lib/x": "" }, `no lib/${LIBRARY}, but a folder "libtorch": name that one`],
])("says what is wrong: %s", async (_, files, problem) => {
  expect(await problemOf(files)).toBe(problem);
});

it("says that a folder is absent, or for another processor", async () => {
  expect(await problemOf({}, "/nowhere")).toBe("no such folder");
  const elf = new Uint8Array(20);
  elf.set([0x7f, 0x45, 0x4c, 0x46]);
  elf[18] = 0xf3;
  expect(await problemOf({ ...libtorchFiles(), [`lib/${LIBRARY}`]: elf })).toBe(
    `lib/${LIBRARY} is for another processor than ${process.arch}`,
  );
});
