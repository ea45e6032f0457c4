import { execFileSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSources } from "./addon-sources.ts";
import { compile } from "./compile.ts";
import { compileFlags } from "./compile-directly.ts";
import type { CompileJob } from "./compile-job.ts";
import { findCommand } from "./environment.ts";
import { fakeCommand, fakeLibtorch, temporaryFolder, writeFiles } from "./fakes.test-helper.ts";
import { findToolchain } from "./toolchain.ts";

const cmake = await findCommand(["cmake"], process.env);
const compiler = await findCommand(["c++", "g++", "clang++"], process.env);
const missing = cmake === undefined || compiler === undefined ? " (skipped: no CMake or no C++ compiler)" : "";

async function jobWith(settings: Partial<CompileJob> = {}): Promise<CompileJob> {
  const libtorch = { path: await fakeLibtorch(), version: "2.13.0", build: "cpu", cxx11Abi: true } as const;
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    "CMakeLists.txt": await readFile(new URL("../../native/CMakeLists.txt", import.meta.url)),
    "src/a.cc": "int a() { return 1; }\n",
  });
  const workFolder = join(folder, "work");
  await mkdir(workFolder);
  return {
    sources: await readSources(folder, libtorch, process.env),
    libtorch,
    toolchain: await findToolchain(process.env),
    nodeHeaders: ["/node-api"],
    cudaHeaders: [],
    workFolder,
    env: process.env,
    onProgress() {},
    ...settings,
  };
}

it.skipIf(missing !== "")(`CMake and the direct way give the same flags${missing}`, async () => {
  const job = await jobWith();
  execFileSync(cmake!, [
    ...["-S", job.sources.folder, "-B", job.workFolder, `-DPT2_LIBTORCH=${job.libtorch.path}`],
    ...["-DPT2_NODE_HEADERS=/node-api", "-DPT2_CXX11_ABI=1", `-DCMAKE_CXX_COMPILER=${compiler}`],
  ]);
  const [entry] = JSON.parse(await readFile(join(job.workFolder, "compile_commands.json"), "utf8"));
  const flags: readonly string[] = (entry as { readonly command: string }).command.split(" ");
  const kept = flags.slice(1, flags.indexOf("-o")).filter((flag) => flag !== "-Dpt2_libtorch_EXPORTS");
  expect([...kept].sort()).toEqual([...compileFlags(job)].sort());
});

it("understands the steps that Ninja and make print", async () => {
  const print = async (...lines: readonly string[]): Promise<string> =>
    join(await fakeCommand("cmake", lines.map((line) => `echo "${line}"`).join("\n")), "cmake");
  const seen = async (tool: string): Promise<readonly string[]> => {
    const steps: string[] = [];
    const toolchain = { compiler: "c++", compilerVersion: "", cmake: tool, ninja: undefined, jobs: 1 };
    const onProgress: CompileJob["onProgress"] = ({ stage, done, total }) => steps.push(`${stage} ${done}/${total}`);
    await compile(await jobWith({ toolchain, onProgress }));
    return steps;
  };
  const ninja = await print(
    "[0/2] Re-checking globbed directories...",
    "[1/4] Building CXX object a.o",
    "[4/4] Linking CXX x",
  );
  expect(await seen(ninja)).toEqual(["configure 0/1", "compile 1/4", "compile 4/4"]);
  const make = await print(
    "[ 50%] Building CXX object a.o",
    "[100%] Linking CXX shared module x",
    "[100%] Built target x",
  );
  expect(await seen(make)).toEqual(["configure 0/1", "compile 1/2", "compile 2/2"]);
});
