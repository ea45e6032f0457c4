import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { requireOptions } from "@pt2/format/options";
import { type Environment, installFolder } from "./environment.ts";
import { inspectFolder } from "./inspect-folder.ts";
import { installError } from "./install-errors.ts";
import type { InstallProgress } from "./install-job.ts";
import { compareVersions, DEFAULT_VERSION, type Libtorch, NEWEST_VERSION, OLDEST_VERSION } from "./libtorch.ts";
import { withLock } from "./lock.ts";
import { findPip, installWithPip } from "./pip.ts";
import { installFromArchive } from "./wheel-archive.ts";

/** Options of {@link installLibtorch}. */
export interface InstallOptions {
  /** The release of PyTorch. @default the one that this package is tested with */
  readonly version?: string | undefined;
  /** Whether to install the build for NVIDIA GPUs, several GB. @default false */
  readonly cuda?: boolean;
  /** @default process.env */
  readonly env?: Environment;
  readonly onProgress?: ((progress: InstallProgress) => void) | undefined;
}

const OPTIONS: Readonly<Record<keyof InstallOptions, string>> = {
  version: "string",
  cuda: "boolean",
  env: "object",
  onProgress: "function",
};

/** What an installation left behind. */
export interface InstalledLibtorch {
  readonly libtorch: Libtorch;
  /** Whether it was downloaded just now. */
  readonly fresh: boolean;
}

/**
 * Puts a libtorch into the cache folder: through pip, so with its mirrors, proxies and credentials, or without a Python
 * from download.pytorch.org. What is there already is not downloaded again.
 */
export async function installLibtorch(options: InstallOptions = {}): Promise<InstalledLibtorch> {
  requireOptions("installLibtorch()", options, OPTIONS, "backend.options");
  const { version = DEFAULT_VERSION, cuda = false, env = process.env, onProgress = () => {} } = options;
  checkVersion(version);
  const root = installFolder(env);
  const present = (): Promise<Libtorch | undefined> => installed(root, version, cuda);
  const onWait = (): void => onProgress({ stage: "wait", done: 0, total: 0, what: "another process is installing" });
  return await withLock(
    join(root, `${version}-${cuda ? "cuda" : "cpu"}.lock`),
    async () => {
      const before = await present();
      if (before !== undefined) return { libtorch: before, fresh: false };
      const draft = join(root, `draft-${randomUUID()}`);
      await mkdir(draft, { recursive: true });
      try {
        const job = { version, cuda, env, folder: draft, onProgress };
        const pip = await findPip(env);
        const files = pip === undefined ? await installFromArchive(job) : await installWithPip(job, pip);
        await writeFile(join(draft, "installed.json"), `${JSON.stringify({ files }, null, 2)}\n`);
        await publish(draft, root, version);
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
      const libtorch = await present();
      if (libtorch === undefined) throw unusable(version, cuda, "it was installed and cannot be found");
      return { libtorch, fresh: true };
    },
    { onWait },
  );
}

/** Publishes a folder, complete or not at all, under the exact version that the files say. */
async function publish(draft: string, root: string, version: string): Promise<void> {
  const inspection = await inspectFolder(join(draft, "torch"));
  if ("problem" in inspection) throw unusable(version, false, inspection.problem);
  const target = join(root, inspection.libtorch.version);
  await rm(target, { recursive: true, force: true });
  await rename(draft, target);
}

async function installed(root: string, version: string, cuda: boolean): Promise<Libtorch | undefined> {
  for (const name of await readdir(root).catch((): string[] => [])) {
    if (!/^\d[^-]*$/.test(name) || compareVersions(name, version) !== 0) continue;
    const inspection = await inspectFolder(join(root, name, "torch"));
    if ("libtorch" in inspection && (inspection.libtorch.build === "cuda") === cuda) return inspection.libtorch;
  }
  return undefined;
}

function checkVersion(version: string): void {
  if (!/^\d+\.\d+(?:\.\d+)?$/.test(version) || compareVersions(version, OLDEST_VERSION) < 0) {
    throw installError("libtorch.install-failed", {
      what: `"${version}" is not a release of PyTorch that this package can use`,
      advice: `name one from ${OLDEST_VERSION}.0 to ${NEWEST_VERSION}.0, such as ${DEFAULT_VERSION}`,
    });
  }
}

function unusable(version: string, cuda: boolean, problem: string): Error {
  return installError("libtorch.install-failed", {
    what: `What was installed as torch ${version} is not a usable libtorch: ${problem}`,
    advice: cuda ? "there may be no CUDA build for this platform: leave --cuda out" : "try another --version",
  });
}
