import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { failureOf } from "@pt2/conformance";
import { afterAll, expect, it } from "vitest";
import { describeWithLibtorch } from "../libtorch.test-helper.ts";
import { buildLibrary } from "./build-library.ts";
import { cudaMajorOf } from "./cuda-headers.ts";
import { fakeCommand } from "./fakes.test-helper.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pt2-library-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

describeWithLibtorch("a library that is compiled where it runs", ({ libtorch }) => {
  const files = { "one.cc": '#include "one.h"\nint one() { return ONE; }\n', "one.h": "#define ONE 1\n" };

  it("is compiled once, also if several ask at a time", async () => {
    const [source, env] = [await folderWith(files), { ...process.env, PT2_CACHE: await folderWith({}) }];
    const sources = [join(source, "one.cc")];
    const found = await Promise.all([1, 2, 3].map(() => buildLibrary({ sources }, libtorch, env)));
    expect(new Set(found).size).toBe(1);
    const { mtimeMs } = await stat(found[0]!);
    expect(await buildLibrary({ sources }, libtorch, env)).toBe(found[0]);
    expect((await stat(found[0]!)).mtimeMs).toBe(mtimeMs);
    // What was compiled does without a compiler.
    expect(await buildLibrary({ sources }, libtorch, { ...env, PATH: "" })).toBe(found[0]);
    expect(await readdir(join(env.PT2_CACHE, "ops"))).toHaveLength(1);
  });

  it("is compiled again when a file beside it, or a flag, is another one", async () => {
    const [source, env] = [await folderWith(files), { ...process.env, PT2_CACHE: await folderWith({}) }];
    const sources = [join(source, "one.cc")];
    const first = await buildLibrary({ sources }, libtorch, env);
    await appendFile(join(source, "one.h"), "#define TWO 2\n");
    const second = await buildLibrary({ sources }, libtorch, env);
    const third = await buildLibrary({ sources, flags: ["-O3"] }, libtorch, env);
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it("is compiled again where the file was damaged", async () => {
    const [source, env] = [await folderWith(files), { ...process.env, PT2_CACHE: await folderWith({}) }];
    const sources = [join(source, "one.cc")];
    const file = await buildLibrary({ sources }, libtorch, env);
    const { size } = await stat(file);
    await writeFile(file, "not a library");
    expect(await buildLibrary({ sources }, libtorch, env)).toBe(file);
    expect((await stat(file)).size).toBe(size);
  });

  it("is compiled by nvcc for the GPUs that are named, apart from the one for CPUs", async () => {
    const [source, log] = [await folderWith({ "one.cu": "" }), join(await folderWith({}), "log")];
    const make = 'while [ $# -gt 1 ]; do [ "$1" = -o ] && echo made > "$2"; shift; done';
    const toolkit = await folderWith({});
    const says = `[ "$1" = --version ] && echo "release ${(await cudaMajorOf(libtorch)) || 99}.0" && exit`;
    await fakeCommand("nvcc", `${says}; echo "$@" >> ${log}; ${make}`, join(toolkit, "bin"));
    const cache = await folderWith({});
    const env = { ...process.env, PT2_CACHE: cache, CXXFLAGS: "-march=native", CUDA_HOME: toolkit };
    const given = { sources: [join(source, "one.cu")], flags: ["--fmad=false"] };
    const build = (...capabilities: readonly string[]): Promise<string> =>
      buildLibrary({ ...given, capabilities }, libtorch, env);
    const found = await build("8.0", "9.0");
    expect(await readFile(found, "utf8")).toBe("made\n");
    const [compiled, linked] = (await readFile(log, "utf8")).split("\n");
    const target = /-ccbin \S+ -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 /;
    for (const line of [compiled, linked]) expect(line).toMatch(target);
    expect(compiled).toMatch(/-Xcompiler -march=native -Xcompiler -fPIC .*-DUSE_CUDA .*--fmad=false .*-c \S+one\.cu$/);
    expect(linked).toMatch(/-shared .*-ltorch_cuda/);
    expect(await build("8.0")).not.toBe(found);
    await rm(toolkit, { recursive: true });
    expect(await build("8.0", "9.0")).toBe(found);
  });

  it("fails with the compiler's lines, and leaves no library", async () => {
    const source = await folderWith({ "bad.cc": "int bad() { return nothing; }\n" });
    const env = { ...process.env, PT2_CACHE: await folderWith({}) };
    const failure = await failureOf(buildLibrary({ sources: [join(source, "bad.cc")] }, libtorch, env));
    expect(failure).toMatchObject({
      code: "libtorch.build-failed",
      what: expect.stringMatching(/library of ops.*\n.*nothing/s),
    });
    const left = await readdir(join(env.PT2_CACHE, "ops"));
    expect(left.filter((name) => !name.startsWith("work-"))).toEqual([]);
  });

  it("fails without a compiler", async () => {
    const source = await folderWith(files);
    const env = { ...process.env, PT2_CACHE: await folderWith({}), CXX: join(dirname(source), "no-compiler") };
    const failure = await failureOf(buildLibrary({ sources: [join(source, "one.cc")] }, libtorch, env));
    expect(failure).toMatchObject({ code: "libtorch.no-compiler" });
  });
});
