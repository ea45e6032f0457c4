import { type Archive, DTYPES, type DType, elementCount, openArchive, type WeightTensor } from "@pt2/format";
import { importProgram, type Program, type SymRange, stats } from "@pt2/graph";
import { describeType, inputsOf, type LeafInfo, outputsOf } from "@pt2/runtime";
import { openFile } from "@pt2/runtime/node";
import type { Command, ExitCode } from "../command.ts";
import { MODEL_OPTION } from "../open-model.ts";
import type { Options } from "../options.ts";
import { bytesText, countText, plural, table } from "../terminal/table.ts";
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

interface WeightCount {
  readonly kind: WeightTensor["kind"];
  readonly dtype: DType;
  readonly tensors: number;
  readonly elements: number;
  readonly bytes: number;
}

interface ModelReport {
  readonly name: string;
  readonly torchVersion: string;
  readonly schemaVersion: string;
  readonly dialect: string;
  readonly inputs: readonly LeafInfo[];
  readonly outputs: readonly LeafInfo[];
  readonly ranges: ReadonlyMap<string, SymRange>;
  readonly weights: readonly WeightCount[];
  readonly mutated: readonly string[];
  readonly nodes: number;
  readonly ops: readonly { readonly op: string; readonly count: number }[];
}

interface FileReport extends Pick<Archive, "generation" | "root" | "hasAotInductor" | "extraFiles"> {
  readonly file: string;
  readonly size: number;
  readonly models: readonly ModelReport[];
}

async function describeModel(archive: Archive, name: string): Promise<ModelReport> {
  const exported = await archive.program(name);
  const program = importProgram(exported);
  const ops = stats(program.graph).map(({ op, count }) => ({ op, count }));
  return {
    name,
    torchVersion: exported.torchVersion,
    schemaVersion: `${exported.schemaVersion.major}.${exported.schemaVersion.minor}`,
    dialect: exported.dialect,
    inputs: inputsOf(program),
    outputs: outputsOf(program),
    ranges: program.ranges,
    weights: countWeights(await archive.weights(name)),
    mutated: mutatedBy(program),
    nodes: ops.reduce((sum, { count }) => sum + count, 0),
    ops,
  };
}

/** Tied weights count once, as in `sum(p.numel() for p in model.parameters())`. */
function countWeights(weights: ReadonlyMap<string, WeightTensor>): readonly WeightCount[] {
  const seen = new Set<string>();
  const counts = new Map<string, WeightCount>();
  for (const { kind, dtype, shape, strides, storageOffset, storage } of weights.values()) {
    const view = `${storage.id} ${storageOffset} ${shape} ${strides} ${dtype}`;
    if (seen.has(view)) continue;
    seen.add(view);
    const key = `${kind} ${dtype}`;
    const elements = elementCount(shape);
    const old = counts.get(key) ?? { kind, dtype, tensors: 0, elements: 0, bytes: 0 };
    const bytes = old.bytes + elements * DTYPES[dtype].itemsize;
    counts.set(key, { kind, dtype, tensors: old.tensors + 1, elements: old.elements + elements, bytes });
  }
  return [...counts.values()];
}

function mutatedBy({ outputs }: Program): readonly string[] {
  return outputs.flatMap((spec) => ("target" in spec && spec.kind.endsWith("_mutation") ? spec.target : []));
}

function printReport({ file, size, generation, hasAotInductor, extraFiles, models }: FileReport): string {
  return [
    `${file}: ${bytesText(size)}, ${generation} archive, ${plural(models.length, "model")}\n`,
    hasAotInductor ? "It also holds AOTInductor code, which is not used.\n" : "",
    extraFiles.length > 0 ? `Extra files: ${extraFiles.join(", ")}\n` : "",
    ...models.map(printModel),
  ].join("");
}

function printModel(model: ModelReport): string {
  const { name, torchVersion, schemaVersion, dialect, inputs, outputs, ranges, weights, mutated, nodes, ops } = model;
  const leaves = (infos: readonly LeafInfo[]): string =>
    infos.length === 0 ? "  none\n" : table(infos.map((info, i) => [String(i), info.name, describeType(info.type)]));
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

function rangeText({ min, max }: SymRange): string {
  if (min === null) return max === null ? "any" : `at most ${max}`;
  return max === null ? `at least ${min}` : `${min} … ${max}`;
}
