import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { appendFile, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type BuildOptions, buildAddon, findBuiltAddon } from "./build-addon.ts";
import type { BuildProgress } from "./compile-job.ts";
import { fakeCommand, fakeLibtorch, temporaryFolder, writeFiles } from "./fakes.test-helper.ts";
import { inspectFolder } from "./inspect-folder.ts";
import type { Libtorch } from "./libtorch.ts";

/** Writes its arguments into what it was asked to make, and into a log. */
const COMPILER = `
if [ "$1" = --version ]; then echo "fake++ 1.0"; echo "more"; exit 0; fi
while [ $# -gt 0 ]; do [ "$1" = -o ] && out="$2"; all="$all $1"; shift; done
echo "$all" >> "$FAKE_LOG"
echo "$all" > "$out"`;

let libtorch: Libtorch;
let nativeFolder: string;
let env: Record<string, string>;
let options: BuildOptions;
beforeEach(async () => {
  const inspection = await inspectFolder(await fakeLibtorch());
  libtorch = (inspection as { readonly libtorch: Libtorch }).libtorch;
  nativeFolder = await temporaryFolder();
  await writeFiles(nativeFolder, { "CMakeLists.txt": "", "src/a.cc": "a", "src/deep/b.cc": "b", "src/deep/b.h": "h" });
  const folder = await temporaryFolder();
  // Tools of the system, but no CMake.
  env = {
    PT2_CACHE: folder,
    FAKE_LOG: join(folder, "log"),
    PATH: await fakeCommand("c++", COMPILER),
    PT2_BUILD_JOBS: "1",
  };
  options = { env, nativeFolder };
});

const calls = async (): Promise<number> => (await readFile(env.FAKE_LOG!, "utf8")).trim().split("\n").length;

describe("without CMake", () => {
  it("compiles once, with progress", async () => {
    const steps: BuildProgress[] = [];
    const first = await buildAddon(libtorch, { ...options, onProgress: (step) => steps.push(step) });
    expect(first).toMatchObject({ fresh: true, libtorch });
    expect(first.file.startsWith(join(env.PT2_CACHE!, "addon/2.13.0+cpu-"))).toBe(true);
    expect(steps.map(({ stage, done, total }) => `${stage} ${done}/${total}`)).toEqual([
      "compile 1/3",
      "compile 2/3",
      "compile 3/3",
    ]);
    expect(await buildAddon(libtorch, options)).toEqual({ ...first, fresh: false });
    expect(await calls()).toBe(3);
    expect(JSON.parse(await readFile(join(first.file, "../build.json"), "utf8"))).toEqual({
      compiler: "fake++ 1.0",
      sha256: createHash("sha256")
        .update(await readFile(first.file))
        .digest("hex"),
    });
  });

  it("compiles again when a source, the compiler's settings or libtorch change", async () => {
    const files = [await buildAddon(libtorch, options)];
    await appendFile(join(nativeFolder, "src/deep/b.h"), "changed");
    files.push(await buildAddon(libtorch, options));
    files.push(await buildAddon(libtorch, { ...options, env: { ...env, CXXFLAGS: "-g -O0" } }));
    files.push(await buildAddon({ ...libtorch, version: "2.13.1" }, options));
    expect(files.map(({ fresh }) => fresh)).toEqual([true, true, true, true]);
    expect(new Set(files.map(({ file }) => file)).size).toBe(4);
    expect(await readFile(env.FAKE_LOG!, "utf8")).toContain(" -g -O0 -D");
  });

  it("compiles again what was cut short, emptied or overwritten in the cache", async () => {
    const { file } = await buildAddon(libtorch, options);
    const bytes = await readFile(file);
    for (const damaged of [bytes.subarray(0, bytes.length / 2), Buffer.alloc(0), Buffer.alloc(bytes.length)]) {
      await writeFile(file, damaged);
      expect(await findBuiltAddon({ ...options, folder: libtorch.path })).toBeUndefined();
      await writeFile(file, damaged).catch(() => {});
      expect(await buildAddon(libtorch, options)).toMatchObject({ file, fresh: true });
      expect(await readFile(file)).toEqual(bytes);
    }
  });

  it("compiles once for callers that ask at the same time", async () => {
    // Compiles when the two others wait.
    const go = join(await temporaryFolder(), "go");
    const patient = `[ "$1" = --version ] || until [ -e ${go} ]; do /bin/sleep 0.01; done\n${COMPILER}`;
    const slow = { ...env, PATH: await fakeCommand("c++", patient) };
    let waiting = 0;
    const onProgress = ({ stage }: BuildProgress): void => {
      if (stage === "wait" && ++waiting === 2) writeFileSync(go, "");
    };
    const builds = await Promise.all([1, 2, 3].map(() => buildAddon(libtorch, { ...options, env: slow, onProgress })));
    expect(builds.filter(({ fresh }) => fresh)).toHaveLength(1);
    expect(await calls()).toBe(3);
  });

  it("gives a build of the sources as they are in the end", async () => {
    const once = `[ "$1" = --version ] || [ -e edited ] || { : > edited; echo x >> src/a.cc; }`;
    const editing = { ...env, PATH: await fakeCommand("c++", `cd ${nativeFolder}\n${once}\n${COMPILER}`) };
    const { file, fresh } = await buildAddon(libtorch, { ...options, env: editing });
    expect({ fresh, calls: await calls() }).toEqual({ fresh: true, calls: 6 });
    expect(await buildAddon(libtorch, { ...options, env: editing })).toMatchObject({ file, fresh: false });
  });
});

describe("sources that are edited while they are compiled", () => {
  /** A compiler that edits a source when it is first called, and leaves a file beside the object. */
  const editor = async (then: string): Promise<Record<string, string>> => {
    const edit = `[ -e ${nativeFolder}/edited ] || { : > ${nativeFolder}/edited; echo x >> ${nativeFolder}/src/deep/b.h; : > "$(/usr/bin/dirname "$out")/stale"; ${then}; }`;
    return { ...env, PATH: await fakeCommand("c++", `${COMPILER}\n${edit}`) };
  };
  const stale = async (): Promise<readonly string[]> =>
    (await readdir(join(env.PT2_CACHE!, "addon"), { recursive: true })).filter((name) => name.endsWith("stale"));

  it("leave no object to the build of what they became", async () => {
    expect(await buildAddon(libtorch, { ...options, env: await editor(":") })).toMatchObject({ fresh: true });
    expect({ stale: await stale(), calls: await calls() }).toEqual({ stale: [], calls: 6 });
  });

  it("leave none to the next build either, after one that failed", async () => {
    const failing = { ...options, env: await editor("exit 1") };
    await expect(buildAddon(libtorch, failing)).rejects.toMatchObject({ code: "libtorch.build-failed" });
    expect(await stale()).toHaveLength(1);
    expect(await buildAddon(libtorch, failing)).toMatchObject({ fresh: true });
    expect(await stale()).toEqual([]);
  });
});

describe("failures", () => {
  it("says what the compiler said", async () => {
    const script = `[ "$1" = --version ] && echo "fake++ 1.0" && exit 0\necho "noise"\necho "a.cc:1: error: no such thing" >&2\nexit 1`;
    const broken = { ...env, PATH: await fakeCommand("c++", script) };
    const problem = await buildAddon(libtorch, { ...options, env: broken }).catch((error: unknown) => error);
    expect(problem).toMatchObject({
      code: "libtorch.build-failed",
      where: `${join(broken.PATH, "c++")} (fake++ 1.0), without CMake`,
      details: { lines: ["noise", "a.cc:1: error: no such thing"] },
    });
    expect((problem as Error).message).toContain("  | a.cc:1: error: no such thing");
    expect((problem as Error).message).toMatch(/1\. (?:Debian, Ubuntu: apt-get install -y g\+\+|xcode-select)/);
    expect(existsSync(join(env.PT2_CACHE!, "addon"))).toBe(true);
    expect((await readdir(join(env.PT2_CACHE!, "addon"))).filter((name) => !name.startsWith("work-"))).toEqual([]);
  });

  it("says that there is no compiler, even when a cache folder cannot be written", async () => {
    const bare = { ...env, PATH: await temporaryFolder() };
    await expect(buildAddon(libtorch, { ...options, env: bare })).rejects.toMatchObject({
      code: "libtorch.no-compiler",
    });
    await expect(buildAddon(libtorch, { ...options, env: { ...bare, CXX: "my++" } })).rejects.toMatchObject({
      code: "libtorch.no-compiler",
      where: "CXX (my++)",
    });
  });

  it("says that the native module is not built on Windows", async () => {
    const platform = Object.getOwnPropertyDescriptor(process, "platform")!;
    Object.defineProperty(process, "platform", { ...platform, value: "win32" });
    const built = buildAddon(libtorch, options).finally(() => Object.defineProperty(process, "platform", platform));
    await expect(built).rejects.toMatchObject({ code: "libtorch.platform" });
  });

  it("takes what PT2_LIBTORCH_ADDON names as it is", async () => {
    const own = { ...options, folder: libtorch.path, env: { ...env, PT2_LIBTORCH_ADDON: "/mine.node" } };
    const build = { file: "/mine.node", libtorch, fresh: false };
    expect([await buildAddon(libtorch, own), await findBuiltAddon(own)]).toEqual([build, build]);
  });

  it("needs no compiler for what is compiled", async () => {
    const { file } = await buildAddon(libtorch, options);
    expect(await buildAddon(libtorch, { ...options, env: { ...env, PATH: "" } })).toMatchObject({ file, fresh: false });
  });
});

describe("what is compiled", () => {
  it("a compiled module is found without compiling", async () => {
    const found = { ...options, folder: libtorch.path };
    expect(await findBuiltAddon(found)).toBeUndefined();
    const { file } = await buildAddon(libtorch, options);
    expect(await findBuiltAddon(found)).toMatchObject({ file, fresh: false });
    await appendFile(join(nativeFolder, "src/a.cc"), "changed");
    expect(await findBuiltAddon(found)).toBeUndefined();
  });

  it("another module is compiled with CUDA, as soon as there are its headers", async () => {
    const cuda = { ...libtorch, build: "cuda" } as const;
    await writeFiles(libtorch.path, { "version.py": "__version__ = '2.13.0'\ncuda = '99.0'\n" });
    const without = await buildAddon(cuda, options);
    const toolkit = await temporaryFolder();
    const headers = ["crt/host_defines.h", "cuda_runtime_api.h", "cusparse.h", "cublas_v2.h", "cusolverDn.h"];
    await writeFiles(join(toolkit, "include"), { "cuda.h": "#define CUDA_VERSION 99000\n" });
    await writeFiles(join(toolkit, "include"), Object.fromEntries(headers.map((name) => [name, ""])));
    const built = await buildAddon(cuda, { ...options, env: { ...env, CUDA_HOME: toolkit } });
    expect([without.fresh, built.fresh, built.file === without.file]).toEqual([true, true, false]);
    expect(await readFile(env.FAKE_LOG!, "utf8")).toMatch(/ -DPT2_CUDA .*-isystem \S+\/include /);
    // Where the headers are gone, what was compiled with them still is the better one.
    expect(await buildAddon(cuda, options)).toEqual({ ...built, fresh: false });
  });

  it("a compiled module is kept while it is new, or among the newest", async () => {
    const folders: string[] = [];
    for (let i = 0; i < 5; i++) {
      await appendFile(join(nativeFolder, "src/a.cc"), "changed");
      folders.push(join((await buildAddon(libtorch, options)).file, ".."));
      const past = new Date(Date.now() - (10 - i) * 3600_000);
      await utimes(folders[i]!, past, past);
    }
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, false, true, true, true]);
  });

  it("keeps its objects unless the sources are an installed package's", async () => {
    const work = async (): Promise<readonly string[]> =>
      (await readdir(join(env.PT2_CACHE!, "addon"))).filter((name) => name.startsWith("work-"));
    const installed = join(nativeFolder, "node_modules/native");
    await writeFiles(installed, { "CMakeLists.txt": "", "src/a.cc": "a" });
    await buildAddon(libtorch, { ...options, nativeFolder: installed });
    expect(await work()).toEqual([]);
    await buildAddon(libtorch, options);
    expect(await work()).toHaveLength(1);
  });
});
