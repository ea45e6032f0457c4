// Prints what options of a load cost: `node -C dev --import tsx tests/src/network/load-costs.ts FILE.pt2 …
// [--backend wasm,libtorch] [--rounds 5] [--latency 100]`.
// The ways take turns; a first round, which brings files into the page cache and compiles code, is not counted. Over
// HTTP
// this process is the server too, whichever way is measured.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import type { Backend } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { load } from "@pt2/runtime/node";
import { serveModel } from "./model-server.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    backend: { type: "string", default: "wasm,libtorch" },
    rounds: { type: "string", default: "5" },
    latency: { type: "string", default: "100" },
  },
});

/** One way to load a file. */
interface Way {
  readonly backend: string;
  readonly isRemote: boolean;
  readonly verifyChecksums: boolean;
  /** An option of libtorch alone. */
  readonly mmap?: boolean;
}

/** Elapsed milliseconds, and milliseconds of processor time in the program and in the system. */
interface Cost {
  readonly wall: number;
  readonly user: number;
  readonly system: number;
}

async function costOf(source: string, backend: Backend, verifyChecksums: boolean): Promise<Cost> {
  const before = process.cpuUsage();
  const start = performance.now();
  const model = await load(source, { backend, verifyChecksums });
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  await model.dispose();
  return { wall, user: user / 1e3, system: system / 1e3 };
}

function waysOf(backend: string): readonly Way[] {
  const way = (isRemote: boolean, verifyChecksums: boolean): Way => ({ backend, isRemote, verifyChecksums });
  const local =
    backend === "libtorch"
      ? [
          { ...way(false, false), mmap: true },
          { ...way(false, false), mmap: false },
        ]
      : [way(false, false)];
  return [...local, way(false, true), way(true, false), way(true, true)];
}

async function backendOf({ backend, mmap }: Way): Promise<Backend> {
  if (backend === "wasm") return wasm();
  return await libtorch(mmap === undefined ? {} : { mmap });
}

/** Returns the median, and half the distance between the quartiles. */
function middle(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
  return `${at(0.5).toFixed(0)} ±${((at(0.75) - at(0.25)) / 2).toFixed(0)}`;
}

console.log("| file | MB | backend | from | weights | checked | wall ms | user ms | system ms |");
console.log("| --- | ---: | --- | --- | --- | --- | ---: | ---: | ---: |");
for (const path of positionals) {
  const file = await readFile(path);
  await using server = await serveModel(file, { latency: Number(values.latency) });
  const ways: (readonly [Way, Backend])[] = [];
  for (const way of values.backend.split(",").flatMap(waysOf)) ways.push([way, await backendOf(way)]);
  const costs = new Map(ways.map(([way]): [Way, Cost[]] => [way, []]));
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const [way, backend] of round % 2 === 0 ? ways : ways.toReversed()) {
      const cost = await costOf(way.isRemote ? server.url : path, backend, way.verifyChecksums);
      if (round > 0) costs.get(way)!.push(cost);
    }
  }
  for (const [{ backend, isRemote, verifyChecksums, mmap }, all] of costs) {
    const cells = [
      basename(path),
      (file.byteLength / 1e6).toFixed(1),
      backend,
      isRemote ? `HTTP, ${values.latency} ms` : "file",
      mmap === undefined ? "default" : mmap ? "mapped" : "read",
      verifyChecksums ? "yes" : "no",
      middle(all.map(({ wall }) => wall)),
      middle(all.map(({ user }) => user)),
      middle(all.map(({ system }) => system)),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
  for (const [, backend] of ways) await backend.dispose();
}
process.exit(0);
