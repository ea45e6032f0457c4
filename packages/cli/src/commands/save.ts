import { writeArchive } from "@pt2/format";
import { exportProgram, type Program } from "@pt2/graph";
import { usageError } from "../cli-errors.ts";
import type { Command, ExitCode } from "../command.ts";
import { openParts } from "../open-parts.ts";
import type { Options } from "../options.ts";
import { bytesText } from "../report/text.ts";
import { replaceFile } from "../terminal/replace-file.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";

/** `pt2 save` */
export const save: Command = {
  name: "save",
  summary: "write a changed program as a .pt2 file that PyTorch opens",
  operands: ["PROGRAM"],
  options: [
    { name: "weights", value: "FILE", help: "where its weights are: a .safetensors or a .pt2 file" },
    { name: "output", short: "o", value: "FILE.pt2", help: "the file to write" },
  ],
  notes: [
    "PROGRAM is what `pt2 graph --format json` or `--format text` writes, changed as you like:",
    "",
    "  pt2 graph model.pt2 --format text -o model.txt",
    "  pt2 save model.txt --weights model.pt2 -o changed.pt2",
  ].join("\n"),

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const [from, to] = [options.path("weights"), options.path("output")];
    if (from === undefined || to === undefined) {
      throw usageError("save needs --weights and --output", "pt2 save model.json --weights model.pt2 -o changed.pt2");
    }
    const { program, weights, close } = await openParts(options.file, from);
    try {
      const models = [{ program: exportProgram(program), weights }];
      const written = await replaceFile(to, (write) =>
        writeArchive({ models, extraFiles: extraFiles(program) }, write),
      );
      const nodes = program.graph.nodes.length;
      if (options.flag("json")) terminal.out(toJsonText({ path: to, nodes, weights: weights.size, bytes: written }));
      else terminal.err(`${to}: ${nodes} nodes, ${weights.size} weights, ${bytesText(written)}\n`);
    } finally {
      await close();
    }
    return 0;
  },
};

/** Which packages have the program's ops. */
function extraFiles({ customOps }: Program): ReadonlyMap<string, string> {
  if (customOps === undefined || customOps.size === 0) return new Map();
  return new Map([["custom_ops.json", JSON.stringify(Object.fromEntries(customOps))]]);
}
