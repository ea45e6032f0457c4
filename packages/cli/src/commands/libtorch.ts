import { usageError } from "../cli-errors.ts";
import type { Command, ExitCode } from "../command.ts";
import { buildNativeModule } from "../libtorch/build.ts";
import { downloadLibtorch } from "../libtorch/install.ts";
import { libtorchPackage } from "../optional-package.ts";
import type { Options } from "../options.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";

/** `pt2 libtorch` */
export const libtorch: Command = {
  name: "libtorch",
  summary: "install libtorch, compile its native module, clear what it kept",
  operands: ["ACTION"],
  options: [
    { name: "version", value: "V", help: "install: release of PyTorch" },
    { name: "cuda", help: "install: the build for NVIDIA GPUs, several GB" },
  ],
  notes: [
    "install  puts a libtorch into the cache folder (PT2_CACHE), through pip where there is one, and compiles for it",
    "build    compiles the native module for the libtorch that is found: PT2_LIBTORCH, torch of the active Python, or",
    "         what install installed",
    "clear    removes the packed weights that libtorch({ cache: true }) kept in the cache folder",
  ].join("\n"),

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const action = options.operands[0];
    if (action === "clear") {
      const { clearKeptWeights } = await libtorchPackage();
      const cleared = await clearKeptWeights();
      terminal.out(options.flag("json") ? toJsonText({ cleared }) : `removed ${cleared}\n`);
      return 0;
    }
    if (action !== "install" && action !== "build") {
      throw usageError(`There is no action "${action}"`, "pt2 libtorch install, build or clear");
    }
    const installed = action === "install" ? await downloadLibtorch(options, terminal) : undefined;
    const { file, libtorch: found, fresh } = await buildNativeModule(terminal, installed?.libtorch.path);
    const report = { libtorch: found, installed: installed?.fresh ?? false, file, compiled: fresh };
    terminal.out(options.flag("json") ? toJsonText(report) : `torch ${found.version} in ${found.path}\n${file}\n`);
    return 0;
  },
};
