import { open, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { compareVersions, type Libtorch, OLDEST_VERSION } from "./libtorch.ts";

/** What a folder is: a libtorch, or why it is none. */
export type Inspection = { readonly libtorch: Libtorch } | { readonly problem: string };

/** The library with the operators, by platform. */
const LIBRARY: Readonly<Record<string, string>> = {
  linux: "libtorch_cpu.so",
  darwin: "libtorch_cpu.dylib",
  win32: "torch_cpu.dll",
};
/** Folders inside of a named folder that may hold the libtorch. */
const INNER = ["torch", "libtorch"];
/** The values of `e_machine` in an ELF header. */
const ELF_MACHINES: Readonly<Record<string, number>> = { x64: 0x3e, arm64: 0xb7 };

/** Reads what a folder holds. It loads and runs nothing. */
export async function inspectFolder(
  path: string,
  platform: NodeJS.Platform = process.platform,
  arch: string = process.arch,
): Promise<Inspection> {
  const folder = resolve(path);
  const names = await namesIn(folder);
  if (names === undefined) return { problem: "no such folder" };
  const libraries = await namesIn(join(folder, "lib"));
  const library = LIBRARY[platform] ?? LIBRARY.linux!;
  if (libraries === undefined || !libraries.has(library)) {
    return { problem: withoutLibrary(names, libraries, library) };
  }
  if (!(await isFile(join(folder, "include/ATen/ATen.h")))) {
    return { problem: "libraries without headers: no include/ATen/ATen.h" };
  }
  const machine = await elfMachine(join(folder, "lib", library));
  if (machine !== undefined && machine !== (ELF_MACHINES[arch] ?? machine)) {
    return { problem: `lib/${library} is for another processor than ${arch}` };
  }
  const version = await versionOf(folder);
  if (version === undefined)
    return { problem: "no version in version.py, build-version or include/torch/**/version.h" };
  if (compareVersions(version, OLDEST_VERSION) < 0) {
    return { problem: `torch ${version} is too old, ${OLDEST_VERSION} or later is needed` };
  }
  const build = [...libraries].some((name) => /^(?:lib)?torch_cuda\./.test(name)) ? "cuda" : "cpu";
  return { libtorch: { path: folder, version, build, cxx11Abi: await hasCxx11Abi(folder, libraries) } };
}

function withoutLibrary(
  names: ReadonlySet<string>,
  libraries: ReadonlySet<string> | undefined,
  library: string,
): string {
  const inner = INNER.find((name) => names.has(name));
  if (inner !== undefined) return `no lib/${library}, but a folder "${inner}": name that one`;
  const foreign = Object.entries(LIBRARY).find(([, name]) => libraries?.has(name));
  if (foreign !== undefined) return `lib/${foreign[1]} is a libtorch for ${foreign[0]}; ${library} is needed`;
  return libraries === undefined ? "no folder lib" : `no lib/${library}`;
}

/** Finds the version as pip's wheel, the official archive, or the headers of either say it. */
async function versionOf(folder: string): Promise<string | undefined> {
  const python = await textOf(join(folder, "version.py"));
  const fromPython = python && /^__version__ = ['"]([^'"]+)['"]/m.exec(python)?.[1];
  if (fromPython) return fromPython;
  const archive = (await textOf(join(folder, "build-version")))?.trim();
  if (archive) return archive;
  for (const header of ["torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"]) {
    const text = await textOf(join(folder, "include", header));
    const parts = ["MAJOR", "MINOR", "PATCH"].map(
      (part) => text && new RegExp(`^#define TORCH_VERSION_${part} (\\d+)`, "m").exec(text)?.[1],
    );
    if (parts.every((part) => part)) return parts.join(".");
  }
  return undefined;
}

/** Reads the ABI from the name of a function that takes a `std::string` and is exported by every version. */
async function hasCxx11Abi(folder: string, libraries: ReadonlySet<string>): Promise<boolean> {
  if (!libraries.has("libc10.so")) return true;
  const symbols = await readFile(join(folder, "lib/libc10.so"));
  return !symbols.includes("_ZN3c106detail14torchCheckFailEPKcS2_jRKSs\0");
}

async function elfMachine(file: string): Promise<number | undefined> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(20), 0, 20, 0);
    return bytesRead === 20 && buffer.readUInt32BE(0) === 0x7f454c46 ? buffer.readUInt16LE(18) : undefined;
  } finally {
    await handle.close();
  }
}

async function namesIn(folder: string): Promise<ReadonlySet<string> | undefined> {
  return await readdir(folder).then(
    (names) => new Set(names),
    () => undefined,
  );
}

async function textOf(file: string): Promise<string | undefined> {
  return await readFile(file, "utf8").catch(() => undefined);
}

async function isFile(path: string): Promise<boolean> {
  return await open(path).then(
    async (handle) => {
      await handle.close();
      return true;
    },
    () => false,
  );
}
