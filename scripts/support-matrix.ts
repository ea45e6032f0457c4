// Writes docs/support.md: which ops each backend runs, and how. Computed from the op records, the backends' kernels and
// the conformance cases. With --check: fails when that file is stale.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, readText } from "./workspace.ts";

const TARGET = "docs/support.md";

interface SchemaType {
  readonly base?: string;
  readonly inner?: SchemaType;
}

/** The parts of the packages' values that the table is made of. */
interface OpRecord {
  readonly name: string;
  readonly schema: {
    readonly returns: readonly { readonly type: { readonly kind: string; readonly base?: string } }[];
  };
  readonly scalar?: unknown;
  readonly view?: unknown;
  readonly infer?: unknown;
  readonly decompose?: unknown;
  readonly dynamic?: unknown;
}

interface OpSet {
  readonly ops: readonly OpRecord[];
}

interface OpCase {
  readonly op: string;
  readonly tensors: readonly { readonly dtype: string }[];
}

interface Backend {
  unsupported(program: unknown, registry: unknown): Promise<readonly unknown[]>;
}

interface Kernels {
  readonly KERNELS: readonly Kernel[];
}

interface Kernel {
  readonly ops: readonly string[];
}

interface Modules {
  readonly aten: { readonly aten: OpSet; readonly libraries: readonly OpSet[] };
  readonly registry: { createRegistry(parts: unknown): unknown };
  readonly conformance: {
    readonly FAMILIES: readonly string[];
    loadFamily(name: string): Promise<{ readonly cases: readonly OpCase[]; readonly torch: string }>;
    caseProgram(
      opCase: OpCase,
      placement: "inputs",
      registry: unknown,
      capabilities: object,
    ): { readonly program: unknown };
  };
  readonly wasm: { wasm(options: { readonly worker: boolean }): Backend };
  readonly webgpu: { readonly WebgpuBackend: new (settings: object) => Backend };
  readonly wasmKernels: Kernels;
  readonly webgpuKernels: { readonly KERNEL_PARTS: readonly { load(): Promise<readonly Kernel[]> }[] };
  readonly host: { readonly HOST_KERNELS: readonly Kernel[] };
  readonly webgpuEngine: { readonly KernelParts: new (parts: readonly unknown[]) => unknown };
  readonly dynamic: { readonly DYNAMIC_KERNELS: ReadonlyMap<string, unknown> };
}

const SOURCES: Readonly<Record<keyof Modules, string>> = {
  aten: "packages/registry/src/aten.ts",
  registry: "packages/registry/src/index.ts",
  conformance: "packages/conformance/src/index.ts",
  wasm: "packages/backend-wasm/src/index.ts",
  webgpu: "packages/backend-webgpu/src/backend.ts",
  wasmKernels: "packages/backend-wasm/src/kernels/index.ts",
  webgpuKernels: "packages/backend-webgpu/src/kernels/index.ts",
  host: "packages/engine/src/host.ts",
  webgpuEngine: "packages/backend-webgpu/src/engine/kernels.ts",
  dynamic: "packages/engine/src/dynamic/index.ts",
};

const LEGEND = {
  fused: "generated from the op's scalar expression, and fused with its neighbours",
  view: "no work: another way to look at the same memory",
  kernel: "a kernel of its own",
  host: "rare, and small where it occurs: computed in JavaScript on copies of its tensors",
  dynamic: "runs between two planned stages, because the sizes of its results depend on data",
  decomposed: "expressed in ops that run",
  number: "a number or a check that follows from shapes, known when the program is planned",
  missing: "refused at load with the op's name",
} as const;
type Support = keyof typeof LEGEND;

const modules = Object.fromEntries(
  await Promise.all(
    Object.entries(SOURCES).map(async ([name, file]) => [name, await import(pathToFileURL(join(ROOT, file)).href)]),
  ),
) as Modules;

const OP_SETS: readonly OpSet[] = [modules.aten.aten, ...modules.aten.libraries];
const opsOf = (kernels: readonly Kernel[]): readonly string[] => kernels.flatMap(({ ops }) => ops);
const hostOps = new Set(opsOf(modules.host.HOST_KERNELS));
const dynamicKernels = modules.dynamic.DYNAMIC_KERNELS;

/** A backend's own kernels, and what it says of programs. */
interface Subject {
  readonly name: string;
  readonly backend: Backend;
  readonly kernels: readonly string[];
}

const { KERNEL_PARTS } = modules.webgpuKernels;
const SUBJECTS: readonly Subject[] = [
  { name: "wasm", backend: modules.wasm.wasm({ worker: false }), kernels: opsOf(modules.wasmKernels.KERNELS) },
  {
    name: "webgpu",
    // What it supports does not depend on its device.
    backend: new modules.webgpu.WebgpuBackend({
      kernels: new modules.webgpuEngine.KernelParts(KERNEL_PARTS),
      narrowFloat64: false,
    }),
    kernels: opsOf((await Promise.all(KERNEL_PARTS.map(({ load }) => load()))).flat()),
  },
];

function hasTensor({ base, inner }: SchemaType): boolean {
  return base === "Tensor" || (inner !== undefined && hasTensor(inner));
}

/** How a backend runs an op, by its record alone. */
function supportOf(record: OpRecord, { kernels }: Subject): Support {
  if (record.scalar !== undefined) return "fused";
  if (record.view !== undefined) return "view";
  const own = kernels.filter((op) => op === record.name).length;
  if (own > (hostOps.has(record.name) ? 1 : 0)) return "kernel";
  if (own > 0) return "host";
  if (dynamicKernels.has(record.name)) return "dynamic";
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
  const { FAMILIES, caseProgram, loadFamily } = modules.conformance;
  const registry = modules.registry.createRegistry({ sets: OP_SETS });
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
      const ran = found === undefined ? "" : `${found.cases - found.refused}/${found.cases}`;
      return [supportOf(record, subject), ran];
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

const text = await render();
if (!process.argv.includes("--check")) {
  writeFileSync(join(ROOT, TARGET), text);
  console.log(TARGET);
} else if (text !== readText(TARGET)) {
  console.error(`${TARGET} is stale: run \`node -C dev --import tsx scripts/support-matrix.ts\``);
  process.exitCode = 1;
}
