import type { InstalledLibtorch } from "@pt2/backend-libtorch/node";
import { libtorchPackage } from "../optional-package.ts";
import type { Options } from "../options.ts";
import { bytesText } from "../report/text.ts";
import { ProgressBar } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Downloads libtorch into the cache folder, unless it exists, and shows progress. */
export async function downloadLibtorch(options: Options, terminal: Terminal): Promise<InstalledLibtorch> {
  const { installLibtorch } = await libtorchPackage();
  const bar = new ProgressBar(terminal);
  let shown = "";
  return await installLibtorch({
    version: options.text("version"),
    cuda: options.flag("cuda"),
    onProgress: ({ stage, done, total, what }) => {
      if (`${stage} ${what}` !== shown) {
        bar.end();
        shown = `${stage} ${what}`;
        terminal.err(`${shown}\n`);
      }
      if (total > 0) bar.draw(stage, done, total, `${bytesText(done)} of ${bytesText(total)}`);
    },
  }).finally(() => bar.end());
}
