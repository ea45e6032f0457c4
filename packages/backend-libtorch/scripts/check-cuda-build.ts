// Compiles, links and loads the native module against a CUDA build of libtorch:
//
//   node -C dev --import tsx packages/backend-libtorch/scripts/check-cuda-build.ts [VERSION] [--tests]
//
// Needs pip, a C++ compiler, the headers of the CUDA toolkit that the build was made with, and about 12 GB in `.cache/cuda`,
// but no GPU. Says what was run and what was not. With --tests this package's tests run on it too. No part of CI.
import { fileURLToPath } from "node:url";
import {
  buildAddon,
  describeLibtorch,
  installLibtorch,
  type Libtorch,
  type LibtorchInfo,
} from "@pt2/backend-libtorch/node";
import { runCommand } from "../src/install/command.ts";

const NEWEST = "2.15.0";
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const TRIAL = fileURLToPath(new URL("try-cuda-build.ts", import.meta.url));
const NODE = ["-C", "dev", "--import", "tsx"];

/** What `try-cuda-build.ts` prints. */
interface Trial {
  readonly info: LibtorchInfo;
  /** Devices that computed. */
  readonly computed: readonly string[];
  /** Code of the error that asking for a GPU gives; null where there is one. */
  readonly refused: string | null;
}

async function main(args: readonly string[]): Promise<number> {
  const version = args.find((arg) => !arg.startsWith("--")) ?? NEWEST;
  const env = { ...process.env, PT2_CACHE: `${ROOT}.cache/cuda` };
  const { libtorch } = await installLibtorch({
    version,
    cuda: true,
    env,
    onProgress: lines(({ stage, what }) => `${stage} ${what}`),
  });
  report("installed", `${describeLibtorch(libtorch)}, in ${libtorch.path}`);
  const { file, fresh } = await buildAddon(libtorch, { env, onProgress: lines(({ line }) => line) });
  report(fresh ? "compiled, linked" : "compiled before", file);

  const child = { ...env, PT2_LIBTORCH: libtorch.path };
  const {
    code,
    stdout,
    lines: output,
  } = await runCommand(process.execPath, [...NODE, TRIAL], { env: child, cwd: ROOT });
  if (code !== 0) {
    report("NOT LOADED", output.join("\n"));
    return 1;
  }
  const failed = describe(JSON.parse(stdout) as Trial, libtorch);
  return args.includes("--tests") ? Math.max(failed, await runTests(child)) : failed;
}

function describe({ info, computed, refused }: Trial, libtorch: Libtorch): number {
  report("loaded, computed", `torch ${info.version}, ${info.cpuCapability}, on ${computed.join(", ")}`);
  if (typeof info.cuda === "string") {
    report("NOT COMPILED", `CUDA: ${info.cuda}; CUDA_HOME must name a toolkit for torch ${libtorch.version}`);
    return 1;
  }
  report("CUDA compiled in", info.cuda.version);
  if (refused === null) return 0;
  report("NOT RUN", `anything on a GPU: there is none here. Asking for one is refused with ${refused}`);
  return refused === "libtorch.device" ? 0 : 1;
}

async function runTests(env: Readonly<Record<string, string | undefined>>): Promise<number> {
  const vitest = `${ROOT}node_modules/vitest/vitest.mjs`;
  const { code } = await runCommand(process.execPath, [vitest, "run", "packages/backend-libtorch"], {
    env,
    cwd: ROOT,
    onLine: (line) => console.log(line),
  });
  report(code === 0 ? "tested" : "TESTS FAILED", "packages/backend-libtorch on this libtorch");
  return code;
}

function report(what: string, detail: string): void {
  console.log(`${what.padEnd(18)} ${detail}`);
}

/** Prints progress, each line once. */
function lines<T>(text: (progress: T) => string): (progress: T) => void {
  let last = "";
  return (progress) => {
    const line = text(progress);
    if (line !== last) console.log(`  ${line}`);
    last = line;
  };
}

process.exitCode = await main(process.argv.slice(2));
