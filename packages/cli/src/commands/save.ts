import { open, readFile, rename, rm } from "node:fs/promises";
import { type ByteSource, openArchive, openSafetensors, type WeightTensor, writeArchive } from "@pt2/format";
import { assertValid, exportProgram, fromJson, type Json, type Program, parse } from "@pt2/graph";
import { weightsFor } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import { cliError, usageError } from "../cli-errors.ts";
import type { Command, ExitCode } from "../command.ts";
import type { Options } from "../options.ts";
import { bytesText } from "../report/text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { notWritten } from "../terminal/write-text.ts";

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
    const [from, to] = [options.text("weights"), options.text("output")];
    if (from === undefined || to === undefined) {
      throw usageError("save needs --weights and --output", "pt2 save model.json --weights model.pt2 -o changed.pt2");
    }
    const program = await readProgram(options.file);
    assertValid(program);
    const source = await openFile(from);
    try {
      const weights = weightsFor(program, await weightsIn(source), from);
      const written = await writeTo(to, program, weights);
      terminal.err(`${to}: ${program.graph.nodes.length} nodes, ${weights.size} weights, ${bytesText(written)}\n`);
    } finally {
      await source.close?.();
    }
    return 0;
  },
};

async function readProgram(path: string): Promise<Program> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    const advice = cause instanceof Error ? cause.message : String(cause);
    throw cliError("cli.io", { what: "The program cannot be read", where: path, advice, cause });
  });
  if (!text.trimStart().startsWith("{")) return parse(text);
  return fromJson(documentOf(text, path));
}

function documentOf(text: string, where: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    const advice = "pass what `pt2 graph model.pt2 --format json` or `--format text` writes";
    throw cliError("cli.usage", { what: "The program is not JSON", where, advice, cause });
  }
}

async function weightsIn(source: ByteSource): Promise<ReadonlyMap<string, WeightTensor>> {
  if (source.name?.endsWith(".safetensors")) return await openSafetensors(source);
  return await (await openArchive(source)).weights();
}

/** Writes beside the file first: what was there before stays whole if the writing fails. Returns the size in bytes. */
async function writeTo(path: string, program: Program, weights: ReadonlyMap<string, WeightTensor>): Promise<number> {
  const beside = `${path}.${process.pid}.tmp`;
  const file = await open(beside, "w").catch((cause: unknown) => {
    throw notWritten(path, cause);
  });
  try {
    const models = [{ program: exportProgram(program), weights }];
    const written = await writeArchive({ models, extraFiles: extraFiles(program) }, async (bytes) => {
      await file.writeFile(bytes);
    });
    await file.close();
    await rename(beside, path);
    return written;
  } catch (problem) {
    await file.close();
    await rm(beside, { force: true });
    throw problem;
  }
}

/** Which packages have the program's ops. */
function extraFiles({ customOps }: Program): ReadonlyMap<string, string> {
  if (customOps === undefined || customOps.size === 0) return new Map();
  return new Map([["custom_ops.json", JSON.stringify(Object.fromEntries(customOps))]]);
}
