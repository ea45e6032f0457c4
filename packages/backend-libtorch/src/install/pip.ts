import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Finished, runCommand } from "./command.ts";
import type { Environment } from "./environment.ts";
import { installError, numbered } from "./install-errors.ts";
import type { InstalledFile, InstallJob } from "./install-job.ts";
import { compareVersions } from "./libtorch.ts";
import { pythonChoices } from "./python-torch.ts";

/** A Python whose pip works. */
export interface Pip {
  readonly python: string;
  readonly version: string;
}

/** The index with builds without CUDA; the default index has none for Linux on x64. */
export const CPU_INDEX = "https://download.pytorch.org/whl/cpu";
/** Wheels for different Pythons differ only in parts that are not kept, so any that exists can be used. */
const OTHER_PYTHON = ["--python-version", "3.12", "--implementation", "cp"];
/** The first pip whose progress programs can read, and the first that reports what it installed. */
const RAW_PROGRESS_SINCE = "24.1";
const REPORT_SINCE = "22.2";
const LAST_LINES = 12;

/** Finds the first Python of {@link pythonChoices} that has pip. */
export async function findPip(env: Environment): Promise<Pip | undefined> {
  for (const { path } of await pythonChoices(env)) {
    if (path === undefined) continue;
    const { code, stdout } = await runCommand(path, ["-m", "pip", "--version"], { env, timeoutMs: 20_000 });
    const version = /^pip (\S+)/.exec(stdout)?.[1];
    if (code === 0 && version !== undefined) return { python: path, version };
  }
  return undefined;
}

/** Installs torch into a folder of its own and keeps what C++ needs. pip checks each file against its index. */
export async function installWithPip(job: InstallJob, pip: Pip): Promise<readonly InstalledFile[]> {
  const { folder, cuda } = job;
  const site = join(folder, "site");
  const report = join(folder, "report.json");
  const reports = compareVersions(pip.version, REPORT_SINCE) >= 0;
  const options = [...(reports ? ["--report", report] : []), ...(cuda ? [] : ["--no-deps"])];
  let outcome: Finished | undefined;
  for (const args of await attempts(job)) {
    await rm(site, { recursive: true, force: true });
    outcome = await runPip(job, pip, [...args, "--target", site, ...options]);
    if (outcome.code === 0 || !outcome.lines.some((line) => /No matching distribution/.test(line))) break;
  }
  if (outcome?.code !== 0) throw pipFailed(job, pip, outcome?.lines ?? []);
  const files = reports ? await filesOf(report) : [];
  await keepLibraries(site, folder);
  await Promise.all([site, report].map((path) => rm(path, { recursive: true, force: true })));
  return files;
}

/** Returns the arguments to try one after the other while pip finds no matching file. */
async function attempts({ version, cuda, env }: InstallJob): Promise<readonly (readonly string[])[]> {
  if (cuda) return [[`torch==${version}`]];
  const index = env.PIP_NO_INDEX === undefined && (await reachable()) ? ["--extra-index-url", CPU_INDEX] : [];
  // On Linux on x64 a version without a local part is the CUDA build.
  const plain = process.platform === "linux" && process.arch === "x64" ? [] : [`torch==${version}`];
  return [`torch==${version}+cpu`, ...plain].flatMap((requirement) => [
    [...index, requirement],
    [...index, ...OTHER_PYTHON, requirement],
  ]);
}

async function reachable(): Promise<boolean> {
  return await fetch(`${CPU_INDEX}/torch/`, { method: "HEAD", signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function runPip({ env, onProgress }: InstallJob, pip: Pip, args: readonly string[]): Promise<Finished> {
  const raw = compareVersions(pip.version, RAW_PROGRESS_SINCE) >= 0 ? ["--progress-bar", "raw"] : [];
  let what = "torch";
  const onLine = (line: string): void => {
    what = /^\s*Downloading (?:\S*\/)?([^\s/]+)/.exec(line)?.[1] ?? what;
    const [, done, total] = /^Progress (\d+) of (\d+)/.exec(line) ?? [];
    if (total !== undefined) onProgress({ stage: "download", done: Number(done), total: Number(total), what });
    else if (/^\s*Downloading /.test(line)) onProgress({ stage: "download", done: 0, total: 0, what });
    else if (/^Installing collected/.test(line)) onProgress({ stage: "unpack", done: 0, total: 0, what: "torch" });
  };
  const fixed = ["--no-compile", "--no-input", "--only-binary", ":all:", "--disable-pip-version-check", ...raw];
  return await runCommand(pip.python, ["-m", "pip", "install", ...fixed, ...args], { env, onLine });
}

/** Libraries find each other by relative paths, so the folders beside torch stay beside it. */
async function keepLibraries(site: string, folder: string): Promise<void> {
  await mkdir(join(folder, "torch"));
  const keep = ["torch/lib", "torch/include", "torch/version.py", "torch.libs", "nvidia"];
  const licences = (await readdir(site)).filter((name) => /^torch-.*\.dist-info$/.test(name));
  for (const name of [...keep, ...licences]) {
    await rename(join(site, name), join(folder, name)).catch((problem: NodeJS.ErrnoException) => {
      if (problem.code !== "ENOENT") throw problem;
    });
  }
}

interface Report {
  readonly install?: readonly {
    readonly download_info?: {
      readonly url?: string;
      readonly archive_info?: { readonly hashes?: Readonly<Record<string, string>> };
    };
  }[];
}

async function filesOf(report: string): Promise<readonly InstalledFile[]> {
  const { install = [] } = JSON.parse(await readFile(report, "utf8")) as Report;
  return install.map(({ download_info: info }) => ({
    name: decodeURIComponent(info?.url?.split("/").at(-1) ?? "unknown"),
    sha256: info?.archive_info?.hashes?.sha256 ?? null,
  }));
}

function pipFailed({ version, cuda }: InstallJob, pip: Pip, lines: readonly string[]): Error {
  const damaged = lines.some((line) => /DO NOT MATCH THE HASHES/.test(line));
  const last = lines.filter((line) => !/^\s*$|^Progress /.test(line)).slice(-LAST_LINES);
  return installError(damaged ? "libtorch.checksum" : "libtorch.install-failed", {
    what: `pip could not install torch ${version}${cuda ? " with CUDA" : ""}\n${last.map((line) => `  | ${line}`).join("\n")}`,
    where: `${pip.python} (pip ${pip.version})`,
    advice: numbered([
      "see pip's lines above: is the network there, does the index have this version for this platform",
      "try another --version",
      "pip install torch by hand, and name that Python with PT2_PYTHON",
    ]),
    details: { lines },
  });
}
