import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Command, ExitCode } from "../command.ts";
import type { Options } from "../options.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { writeText } from "../terminal/write-text.ts";

/** `pt2 recorder` */
export const recorder: Command = {
  name: "recorder",
  summary: "print the Python script that records what each node returns in PyTorch, for verify --per-node --expected",
  operands: [],
  options: [{ name: "output", short: "o", value: "FILE", help: "write it to a file instead" }],
  notes: [
    "  pt2 recorder -o record_nodes.py",
    "  python record_nodes.py model.pt2 nodes.safetensors",
    "  pt2 verify model.pt2 --per-node --expected nodes.safetensors",
    "",
    "The script needs torch and nothing else; `python record_nodes.py --help` explains its options.",
  ].join("\n"),

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const manifest = createRequire(import.meta.url).resolve("@pt2/cli/package.json");
    const script = await readFile(join(dirname(manifest), "python", "record_nodes.py"), "utf8");
    const path = options.path("output");
    if (path !== undefined) await writeText(path, script);
    if (options.flag("json")) terminal.out(toJsonText(path === undefined ? { script } : { path }));
    else terminal.out(path === undefined ? script : `${path}\n`);
    return 0;
  },
};
