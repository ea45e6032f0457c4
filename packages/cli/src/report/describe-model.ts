import { type Archive, DTYPES, type DType, numel, type WeightTensor } from "@pt2/format";
import { importProgram, type Program, type SymRange, stats } from "@pt2/graph";
import { inputsOf, type LeafInfo, type OutputInfo, outputsOf } from "@pt2/runtime";

/** The weights of one kind and dtype. */
export interface WeightCount {
  readonly kind: WeightTensor["kind"];
  readonly dtype: DType;
  readonly tensors: number;
  readonly elements: number;
  readonly bytes: number;
}

/** Describes one model of an archive. */
export interface ModelReport {
  readonly name: string;
  readonly torchVersion: string;
  readonly schemaVersion: string;
  readonly dialect: string;
  readonly inputs: readonly LeafInfo[];
  readonly outputs: readonly OutputInfo[];
  readonly ranges: ReadonlyMap<string, SymRange>;
  readonly weights: readonly WeightCount[];
  readonly mutated: readonly string[];
  readonly nodes: number;
  readonly ops: readonly { readonly op: string; readonly count: number }[];
}

/** Reads the program of an archive and the metadata of its weights, but no weight. */
export async function describeModel(archive: Archive, name: string): Promise<ModelReport> {
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

/** Counts weights; tied ones count once, as in `sum(p.numel() for p in model.parameters())`. */
function countWeights(weights: ReadonlyMap<string, WeightTensor>): readonly WeightCount[] {
  const seen = new Set<string>();
  const counts = new Map<string, WeightCount>();
  for (const { kind, dtype, shape, strides, storageOffset, storage } of weights.values()) {
    const view = `${storage.id} ${storageOffset} ${shape} ${strides} ${dtype}`;
    if (seen.has(view)) continue;
    seen.add(view);
    const key = `${kind} ${dtype}`;
    const elements = numel(shape);
    const old = counts.get(key) ?? { kind, dtype, tensors: 0, elements: 0, bytes: 0 };
    const bytes = old.bytes + elements * DTYPES[dtype].itemsize;
    counts.set(key, { kind, dtype, tensors: old.tensors + 1, elements: old.elements + elements, bytes });
  }
  return [...counts.values()];
}

function mutatedBy({ outputs }: Program): readonly string[] {
  return outputs.flatMap((spec) => ("target" in spec && spec.kind.endsWith("_mutation") ? spec.target : []));
}
