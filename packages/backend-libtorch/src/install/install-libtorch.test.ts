import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { fakeCommand, LIBRARY, temporaryFolder } from "./fakes.test-helper.ts";
import type { InstallProgress } from "./install-job.ts";
import { installLibtorch } from "./install-libtorch.ts";

/** pip of a Python: `$FAKE_PIP` is a shell function that is called with the folder and the report to write. */
const PYTHON = `
if [ "$1" = -c ]; then exit 0; fi
if [ "$3" = --version ]; then echo "pip $FAKE_VERSION from /somewhere"; exit 0; fi
echo "$@" >> "$FAKE_LOG"
while [ $# -gt 0 ]; do
  [ "$1" = --target ] && site="$2"
  [ "$1" = --report ] && report="$2"
  shift
done
if [ -n "$FAKE_MISSING" ] && ! grep -q -- "$FAKE_MISSING" "$FAKE_LOG"; then
  echo "ERROR: No matching distribution found for torch"; exit 1
fi
[ -n "$FAKE_ERROR" ] && echo "$FAKE_ERROR" && exit 1
echo "  Downloading torch-2.13.0.whl (190 MB)"
echo "Progress 50 of 200"
echo "Progress 200 of 200"
echo "Installing collected packages: torch"
mkdir -p "$site/torch/lib" "$site/torch/include/ATen" "$site/torch/nn" "$site/nvidia/cu13" "$site/sympy"
: > "$site/torch/lib/${LIBRARY}"
[ -n "$FAKE_CUDA" ] && : > "$site/torch/lib/libtorch_cuda.so"
: > "$site/torch/include/ATen/ATen.h"
echo "__version__ = '$FAKE_TORCH'" > "$site/torch/version.py"
hash='{"sha256": "abc"}'
echo '{"install": [{"download_info": {"url": "https://index/a/torch-2.13.0%2Bcpu.whl", "archive_info": {"hashes": '$hash'}}}]}' > "$report"`;

let env: Record<string, string>;
beforeEach(async () => {
  const folder = await temporaryFolder();
  env = {
    PT2_CACHE: folder,
    FAKE_LOG: join(folder, "log"),
    FAKE_VERSION: "24.2",
    FAKE_TORCH: "2.13.0+cpu",
    PIP_NO_INDEX: "1",
    PATH: `${await fakeCommand("python3", PYTHON)}:/usr/bin:/bin`,
  };
});

const log = (): Promise<string> => readFile(env.FAKE_LOG!, "utf8");

describe("through pip", () => {
  it("keeps what C++ needs, once", async () => {
    const steps: InstallProgress[] = [];
    const result = await installLibtorch({ env, onProgress: (step) => steps.push(step) });
    const folder = join(env.PT2_CACHE!, "libtorch/2.13.0+cpu");
    expect(result).toMatchObject({ fresh: true, libtorch: { path: join(folder, "torch"), version: "2.13.0+cpu" } });
    expect((await readdir(folder)).sort()).toEqual(["installed.json", "nvidia", "torch"]);
    expect((await readdir(join(folder, "torch"))).sort()).toEqual(["include", "lib", "version.py"]);
    expect(JSON.parse(await readFile(join(folder, "installed.json"), "utf8"))).toEqual({
      files: [{ name: "torch-2.13.0+cpu.whl", sha256: "abc" }],
    });
    expect(steps.map(({ stage, done, total, what }) => `${stage} ${what} ${done}/${total}`)).toEqual([
      "download torch-2.13.0.whl 0/0",
      "download torch-2.13.0.whl 50/200",
      "download torch-2.13.0.whl 200/200",
      "unpack torch 0/0",
    ]);
    expect(await log()).toMatch(/--only-binary :all: .*--progress-bar raw torch==2\.13\.0\+cpu .*--no-deps/);
    expect(await installLibtorch({ env })).toEqual({ ...result, fresh: false });
    expect((await log()).trim().split("\n")).toHaveLength(1);
    expect(await readdir(join(env.PT2_CACHE!, "libtorch"))).toEqual(["2.13.0+cpu"]);
  });

  it("takes the files of another Python when its own has none", async () => {
    await installLibtorch({ env: { ...env, FAKE_MISSING: "--python-version 3.12" } });
    expect((await log()).trim().split("\n")).toHaveLength(2);
  });

  it("installs the CUDA build with what it needs", async () => {
    const cuda = { ...env, FAKE_CUDA: "1", FAKE_TORCH: "2.13.0+cu130", FAKE_VERSION: "23.0" };
    const { libtorch } = await installLibtorch({ env: cuda, cuda: true });
    expect(libtorch).toMatchObject({ version: "2.13.0+cu130", build: "cuda" });
    expect(await log()).toMatch(/torch==2\.13\.0 --target/);
    expect(await log()).not.toMatch(/--no-deps|--progress-bar/);
    expect((await installLibtorch({ env })).libtorch.build).toBe("cpu");
  });

  it.each([
    ["ERROR: the network is down", "libtorch.install-failed"],
    ["ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "libtorch.checksum"],
  ])("says what pip said: %s", async (message, code) => {
    const problem = await installLibtorch({ env: { ...env, FAKE_ERROR: message } }).catch((error: unknown) => error);
    expect(problem).toMatchObject({ code, where: expect.stringMatching(/python3 \(pip 24\.2\)$/) });
    expect((problem as Error).message).toContain(`  | ${message}`);
    expect(await readdir(join(env.PT2_CACHE!, "libtorch"))).toEqual([]);
  });
});

it("refuses versions that cannot be used, before anything is downloaded", async () => {
  for (const version of ["2.5.1", "newest", "2.13.0; rm"]) {
    await expect(installLibtorch({ env, version })).rejects.toMatchObject({ code: "libtorch.install-failed" });
  }
  await expect(log()).rejects.toThrow("ENOENT");
});

it("has no CUDA build without pip", async () => {
  const bare = { ...env, PATH: await temporaryFolder() };
  await expect(installLibtorch({ env: bare, cuda: true })).rejects.toMatchObject({
    code: "libtorch.install-failed",
    advice: "install Python 3 with pip first",
  });
});
