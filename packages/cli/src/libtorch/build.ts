import type { AddonBuild } from "@pt2/backend-libtorch/node";
import { libtorchPackage } from "../optional-package.ts";
import { ProgressBar } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Compiles the native module for the libtorch in `folder` or the one found, unless it exists, and shows progress. */
export async function buildNativeModule(terminal: Terminal, folder?: string): Promise<AddonBuild> {
  const { buildAddon, describeLibtorch, findLibtorch } = await libtorchPackage();
  const libtorch = await findLibtorch({ folder });
  const bar = new ProgressBar(terminal);
  let announced = false;
  return await buildAddon(libtorch, {
    onProgress: ({ stage, done, total }) => {
      if (!announced) terminal.err(`Compiling the native module for ${describeLibtorch(libtorch)}, once\n`);
      announced = true;
      bar.draw(stage === "wait" ? "waiting" : "compiling", done, total, `${done} of ${total} steps`);
    },
  }).finally(() => bar.end());
}
