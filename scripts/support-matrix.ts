// Writes docs/support.md: which ops each backend runs, and how. Computed from the op records, the backends' kernels and
// the conformance cases. With --check: fails when that file is stale.
import type { Backend } from "../packages/backend/src/index.ts";
import { wasm } from "../packages/backend-wasm/src/index.ts";
import { PARTS } from "../packages/backend-wasm/src/kernels/kernels-on-demand.ts";
import { WebgpuBackend } from "../packages/backend-webgpu/src/backend.ts";
import { kernelParts } from "../packages/backend-webgpu/src/engine/kernels.ts";
import { KERNEL_PARTS } from "../packages/backend-webgpu/src/kernels/kernels-on-demand.ts";
import { caseProgram, FAMILIES, loadFamily } from "../packages/conformance/src/index.ts";
import { DYNAMIC_KERNELS } from "../packages/engine/src/dynamic/dynamic-kernels.ts";
import { HOST_KERNELS } from "../packages/engine/src/host/host-kernels.ts";
import { aten, libraries } from "../packages/registry/src/aten.ts";
import { createRegistry, type OpRecord, type OpSet } from "../packages/registry/src/index.ts";
import { hasTensor } from "../packages/registry/src/schema/has-tensor.ts";
import { writeGenerated } from "./write-generated.ts";

const TARGET = "docs/support.md";

const LEGEND = {
  fused: "generated from the op's scalar expression, and fused with its neighbors",
  view: "no work: another way to look at the same memory",
  kernel: "a kernel of its own",
  host: "rare, and small where it occurs: computed in JavaScript on copies of its tensors",
  dynamic: "runs between two planned stages, because the sizes of its results depend on data",
  decomposed: "expressed in ops that run",
  number: "a number or a check that follows from shapes, known when the program is planned",
  missing: "refused at load with the op's name",
} as const;
type Support = keyof typeof LEGEND;

const OP_SETS: readonly OpSet[] = [aten, ...libraries];
const opsOf = (kernels: readonly { readonly ops: readonly string[] }[]): readonly string[] =>
  kernels.flatMap(({ ops }) => ops);
const opsOfParts = async (
  parts: readonly { load(): Promise<readonly { readonly ops: readonly string[] }[]> }[],
): Promise<readonly string[]> => opsOf((await Promise.all(parts.map(({ load }) => load()))).flat());
const hostOps = new Set(opsOf(HOST_KERNELS));

/** A backend's own kernels, and what it says of programs. */
interface Subject {
  readonly name: string;
  readonly backend: Pick<Backend, "unsupported">;
  readonly kernels: readonly string[];
}

const SUBJECTS: readonly Subject[] = [
  { name: "wasm", backend: wasm({ worker: false }), kernels: await opsOfParts(PARTS) },
  {
    name: "webgpu",
    backend: new WebgpuBackend({
      kernels: kernelParts(KERNEL_PARTS),
      narrowFloat64: false,
      outputs: "host",
      ownsDevice: false,
      // What it supports does not depend on its device, so it gets none.
      devices: undefined as never,
    }),
    kernels: await opsOfParts(KERNEL_PARTS),
  },
];

/** How a backend runs an op, by its record alone. */
function supportOf(record: OpRecord, { kernels }: Subject): Support {
  if (record.scalar !== undefined) return "fused";
  if (record.view !== undefined) return "view";
  const own = kernels.filter((op) => op === record.name).length;
  if (own > (hostOps.has(record.name) ? 1 : 0)) return "kernel";
  if (own > 0) return "host";
  if (DYNAMIC_KERNELS.has(record.name)) return "dynamic";
  if (record.decompose !== undefined) return "decomposed";
  const tensors = record.schema.returns.some(({ type }) => hasTensor(type));
  return tensors || record.dynamic === true ? "missing" : "number";
}

/** What the conformance cases say of each op on a backend: its dtypes, and whether it takes every one of them. */
interface Tested {
  readonly cases: number;
  readonly refused: number;
  readonly dtypes: ReadonlySet<string>;
}

async function testedOps({ backend }: Subject): Promise<ReadonlyMap<string, Tested>> {
  const registry = createRegistry({ sets: OP_SETS });
  const tested = new Map<string, Tested>();
  for (const family of FAMILIES) {
    for (const opCase of (await loadFamily(family)).cases) {
      const { cases, refused, dtypes } = tested.get(opCase.op) ?? { cases: 0, refused: 0, dtypes: new Set<string>() };
      const { program } = caseProgram(opCase, "inputs", registry, {});
      const runs = (await backend.unsupported(program, registry)).length === 0;
      const own = runs ? opCase.tensors.slice(0, 1).map(({ dtype }) => dtype) : [];
      tested.set(opCase.op, {
        cases: cases + 1,
        refused: refused + (runs ? 0 : 1),
        dtypes: new Set([...dtypes, ...own]),
      });
    }
  }
  return tested;
}

async function render(): Promise<string> {
  const tested = await Promise.all(SUBJECTS.map(testedOps));
  const records = OP_SETS.flatMap(({ ops }) => ops).sort((a, b) => (a.name < b.name ? -1 : 1));
  const count = (support: Support): string =>
    SUBJECTS.map((subject) => records.filter((record) => supportOf(record, subject) === support).length).join(" | ");
  const names = SUBJECTS.map(({ name }) => name);
  const legend = Object.entries(LEGEND).map(([name, what]) => `| ${name} | ${count(name as Support)} | ${what} |`);
  const table = records.map((record) => {
    const cells = SUBJECTS.flatMap((subject, i) => {
      const found = tested[i]?.get(record.name);
      const ran = found === undefined ? 0 : found.cases - found.refused;
      const support = supportOf(record, subject);
      if (support === "missing" && ran > 0)
        throw new Error(`${subject.name} runs ${record.name}, by kernels not known here`);
      return [support, found === undefined ? "" : `${ran}/${found.cases}`];
    });
    const dtypes = new Set(tested.flatMap((of) => [...(of.get(record.name)?.dtypes ?? [])]));
    return `| \`${record.name}\` | ${cells.join(" | ")} | ${[...dtypes].sort().join(" ")} |`;
  });
  const ran = records.filter(({ name }) => tested[0]?.has(name)).length;
  return `<!-- Generated by scripts/support-matrix.ts; \`pnpm check\` compares. -->
# Supported ops

Every op that the project has a record of, and how each backend that lowers runs it (\`@pt2/backend-libtorch\` runs every op
of PyTorch's dispatcher, and by these records those that PyTorch defines in Python). In-place ops (\`aten::add_.Tensor\`) are derived from the functional ones below. Ops that are not
listed are refused at load, all of them at once; a handler or an op package adds them (\`docs/adding-an-op.md\`). *Cases*
counts the calls that the conformance suite compares with PyTorch's answers, for ${ran} of these ${records.length} ops
directly; those that a backend does not take have dtypes that it does not hold (webgpu: float64 and complex128, unless
narrowing is allowed). *Dtypes* are those of the first tensor of these calls.

| how | ${names.join(" | ")} | meaning |
| --- | ${names.map(() => "---").join(" | ")} | --- |
${legend.join("\n")}

| op | ${names.map((name) => `${name} | cases`).join(" | ")} | dtypes |
| --- | ${names.map(() => "--- | ---").join(" | ")} | --- |
${table.join("\n")}
`;
}

writeGenerated(TARGET, await render(), "pnpm gen:support");
