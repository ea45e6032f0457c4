import { type Archive, openArchive } from "@pt2/format";
import { describeType, type LeafInfo, type OutputInfo } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import type { Command, ExitCode } from "../command.ts";
import { MODEL_OPTION } from "../open-model.ts";
import type { Options } from "../options.ts";
import { describeModel, type ModelReport } from "../report/describe-model.ts";
import { bytesText, countText, plural, rangeText } from "../report/text.ts";
import { table } from "../terminal/table.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";

/** `pt2 inspect` */
export const inspect: Command = {
  name: "inspect",
  summary: "what is in the file: producer, inputs and outputs, parameters, ops",
  operands: ["FILE"],
  options: [MODEL_OPTION],
  notes: "Reads the directory and the program of the archive, never its weights. Without --model every model is shown.",

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const source = await openFile(options.file);
    const { size } = source;
    const archive = await openArchive(source);
    try {
      const chosen = options.text("model");
      const names = chosen === undefined ? archive.models : [chosen];
      const models = await Promise.all(names.map((name) => describeModel(archive, name)));
      const { generation, root, hasAotInductor, extraFiles } = archive;
      const report = { file: options.file, size, generation, root, hasAotInductor, extraFiles, models };
      terminal.out(options.flag("json") ? toJsonText(report) : printReport(report));
      return 0;
    } finally {
      await archive.close();
    }
  },
};

interface FileReport extends Pick<Archive, "generation" | "root" | "hasAotInductor" | "extraFiles"> {
  readonly file: string;
  readonly size: number;
  readonly models: readonly ModelReport[];
}

function printReport({ file, size, generation, hasAotInductor, extraFiles, models }: FileReport): string {
  return [
    `${file}: ${bytesText(size)}, ${generation} archive, ${plural(models.length, "model")}\n`,
    hasAotInductor ? "It also contains AOTInductor code, which is ignored.\n" : "",
    extraFiles.length > 0 ? `Extra files: ${extraFiles.join(", ")}\n` : "",
    ...models.map(printModel),
  ].join("");
}

function printModel(model: ModelReport): string {
  const { name, torchVersion, schemaVersion, dialect, inputs, outputs, ranges, weights, mutated, nodes, ops } = model;
  const leaves = (infos: readonly LeafInfo[]): string =>
    infos.length === 0 ? "  none\n" : table(infos.map((info, i) => [String(i), info.name, typeOf(info)]));
  const weightRows = weights.map(({ kind, dtype, tensors, elements, bytes }) => [
    plural(tensors, kind),
    dtype,
    `${countText(elements)} elements`,
    bytesText(bytes),
  ]);
  return [
    `\nModel "${name}", saved by torch ${torchVersion}, schema ${schemaVersion}, ${dialect} dialect\n`,
    `\nInputs\n${leaves(inputs)}`,
    `\nOutputs\n${leaves(outputs)}`,
    ranges.size > 0 ? `\nSizes\n${table([...ranges].map(([symbol, range]) => [symbol, rangeText(range)]))}` : "",
    `\nWeights\n${weightRows.length === 0 ? "  none\n" : table(weightRows, ["left", "left", "right", "right"])}`,
    mutated.length > 0 ? `\nWritten to by every call\n${table(mutated.map((target) => [target]))}` : "",
    `\nOps: ${plural(nodes, "node")} of ${plural(ops.length, "kind")}\n`,
    table(
      ops.map(({ op, count }) => [String(count), op]),
      ["right"],
    ),
  ].join("");
}

function typeOf(info: LeafInfo | OutputInfo): string {
  const type = describeType(info.type);
  if (!("kind" in info) || info.kind === "user_output") return type;
  return `${type}, ${info.kind === "loss_output" ? "the loss" : "a gradient"}`;
}
