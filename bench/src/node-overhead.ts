// `node -C dev --import tsx src/node-overhead.ts [ROUNDS]`: measures what a node of a plan costs besides the op itself.
// A graph of 1,000 additions of tiny tensors is compared with the same additions in a loop in C++, which is one node of
// a program of its own, so both contain the fixed cost of a run.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { hostTensor } from "@pt2/backend";
import { findLibtorch, libtorch } from "@pt2/backend-libtorch/node";
import { parse } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { machine, table } from "./report.ts";
import { summarize } from "./statistics.ts";

const NODES = 1000;
const SOURCE = fileURLToPath(new URL("libtorch/add-loop.cc", import.meta.url));
const rounds = Number(process.argv[2] ?? 200);

/** Compiles the loop; the caller removes the folder. */
async function compileLoop(folder: string): Promise<string> {
  const { path, cxx11Abi } = await findLibtorch();
  const file = join(folder, "add-loop.so");
  const abi = `-D_GLIBCXX_USE_CXX11_ABI=${cxx11Abi ? 1 : 0}`;
  const flags = ["-O2", "-DNDEBUG", "-std=c++20", "-fPIC", "-shared", abi, "-isystem", join(path, "include")];
  const libraries = [`-L${join(path, "lib")}`, "-ltorch_cpu", "-lc10"];
  await promisify(execFile)(process.env.CXX ?? "c++", [...flags, SOURCE, ...libraries, "-o", file]);
  return file;
}

const additions = (): string =>
  Array.from({ length: NODES }, (_, i) => `  %s${i + 1}: f32[4] = aten::add.Tensor(%s${i}, other=%y)`).join("\n");
const looped = (op: string): string => `  %s${NODES}: f32[4] = pt2_bench::${op}(x=%s0, y=%y, count=${NODES})`;
const program = (body: string): string =>
  `program "TRAINING" torch "2.13.0" {\n  user_input %s0: f32[4]\n  user_input %y: f32[4]\n${body}\n  return %s${NODES}\n}\n`;

const folder = await mkdtemp(join(tmpdir(), "pt2-add-loop-"));
try {
  const backend = await libtorch({ threads: 1, libraries: [await compileLoop(folder)] });
  const registry = createRegistry({ sets: [aten] });
  const inputs = [1, 2].map((value) => hostTensor("float32", [4], new Float32Array(4).fill(value)));
  const bodies = { graph: additions(), boxed: looped("boxed"), typed: looped("typed") };
  type Name = keyof typeof bodies;
  const runs = new Map<Name, () => readonly unknown[]>();
  const nanoseconds: Record<Name, number[]> = { graph: [], boxed: [], typed: [] };
  for (const [name, body] of Object.entries(bodies) as [Name, string][]) {
    const request = { program: parse(program(body)), weights: new Map(), registry, precision: "exact" } as const;
    const executable = await backend.compile(request);
    runs.set(name, () => executable.runSync(inputs));
  }
  for (let round = -20; round < rounds; round++) {
    for (const [name, run] of round % 2 === 0 ? runs : [...runs].reverse()) {
      const start = performance.now();
      run();
      if (round >= 0) nanoseconds[name].push(((performance.now() - start) * 1e6) / NODES);
    }
  }
  const [graph, boxed, typed] = [nanoseconds.graph, nanoseconds.boxed, nanoseconds.typed];
  const row = (name: string, values: readonly number[]): readonly string[] => {
    const { median, spread, min } = summarize(values);
    return [name, `${median.toFixed(0)} ns ±${(spread * 100).toFixed(0)} %`, `${min.toFixed(0)} ns`];
  };
  const difference = (name: string, loop: readonly number[]): readonly string[] => {
    const { median } = summarize(graph.map((value, i) => value - loop[i]!));
    return [name, `${median.toFixed(0)} ns`, `${(summarize(graph).min - summarize(loop).min).toFixed(0)} ns`];
  };
  console.log(
    `${machine()}\n\n${table(
      ["per addition", "median", "least"],
      [
        row("node of a graph", graph),
        row("loop in C++ through the dispatcher's boxed call", boxed),
        row("loop in C++ of `at::add`", typed),
        difference("graph beyond the boxed call", boxed),
        difference("graph beyond `at::add`", typed),
      ],
    )}`,
  );
  await backend.dispose();
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);
