import { join } from "node:path";
import { runCommand } from "./command.ts";
import { cudaMajorOf, toolkitFolders } from "./cuda-headers.ts";
import { type Environment, findCommand } from "./environment.ts";
import { installError, numbered } from "./install-errors.ts";
import type { Libtorch } from "./libtorch.ts";

/** A compiler of CUDA. */
export interface Nvcc {
  /** Its path. */
  readonly compiler: string;
  /** Its release, `13.0`. */
  readonly release: string;
}

/**
 * Finds an nvcc of the major version of CUDA that a libtorch was built for, any one where that is not known: in `CUDA_HOME`
 * or `CUDA_PATH`, on the PATH, or in `/usr/local`. Where there is none it throws an error that lists what was found.
 */
export async function findNvcc(libtorch: Libtorch, env: Environment): Promise<Nvcc> {
  const major = await cudaMajorOf(libtorch);
  const named = [env.CUDA_HOME, env.CUDA_PATH].filter((folder) => folder).length;
  const inFolders = (await toolkitFolders(env)).map((folder) => join(folder, "bin/nvcc"));
  const found: string[] = [];
  for (const name of [...inFolders.slice(0, named), "nvcc", ...inFolders.slice(named)]) {
    const compiler = await findCommand([name], env);
    if (compiler === undefined) continue;
    const { lines } = await runCommand(compiler, ["--version"], { env, timeoutMs: 20_000 });
    const release = /\brelease (\d+\.\d+)/.exec(lines.join("\n"))?.[1];
    const fits = release !== undefined && (major === 0 || Number.parseInt(release, 10) === major);
    if (fits) return { compiler, release };
    found.push(`${compiler} (${release ?? "does not say its version"})`);
  }
  const version = major === 0 ? "" : ` of CUDA ${major}`;
  throw installError("libtorch.no-nvcc", {
    what: `Kernels for CUDA have to be compiled, and there is no nvcc${version}`,
    where: found.length > 0 ? found.join(", ") : "CUDA_HOME, CUDA_PATH, the PATH, and /usr/local",
    advice: numbered([
      `install the toolkit${version}, and name its folder by CUDA_HOME where it is elsewhere`,
      "do without: the ops' own rules compute on the GPU, or on the host where they cannot",
    ]),
    details: { found, major, libtorch },
  });
}
