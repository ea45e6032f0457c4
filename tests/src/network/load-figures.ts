// Prints the requests of loads over HTTP: `node -C dev --import tsx tests/src/network/load-figures.ts FILE.pt2 …`
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import type { Backend } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import { load, readSchema } from "@pt2/runtime/node";
import { type RangeBehavior, SERVERS, serveModel } from "./model-server.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    latency: { type: "string", default: "100" },
    backend: { type: "string", multiple: true, default: ["wasm"] },
    server: { type: "string", multiple: true, default: Object.keys(SERVERS) },
  },
});
const BACKENDS: Readonly<Record<string, () => Promise<Backend>>> = {
  wasm: async () => wasm(),
  "wasm, worker: false": async () => wasm({ worker: false }),
  webgpu: async () => await webgpu(),
  libtorch: async () => await libtorch(),
};

type Reads = (url: string) => Promise<void>;

const reads: [name: string, read: Reads][] = [
  ["one fetch", async (url) => void (await (await fetch(url)).arrayBuffer())],
  ["readSchema", async (url) => void (await readSchema(url))],
];
for (const name of values.backend) {
  const backend = await BACKENDS[name]!();
  reads.push([`load, ${name}`, async (url) => await (await load(url, { backend })).dispose()]);
}

console.log("| file | MB | server | read by | requests | round trips | bytes ÷ file | ms |");
console.log("| --- | ---: | --- | --- | ---: | ---: | ---: | ---: |");
for (const path of positionals) {
  const file = await readFile(path);
  for (const server of values.server) {
    const ranges: RangeBehavior = SERVERS[server as keyof typeof SERVERS];
    for (const [name, read] of reads) {
      await using served = await serveModel(file, { ranges, latency: Number(values.latency) });
      const start = performance.now();
      await read(served.url);
      const ms = performance.now() - start;
      const { requests, roundTrips, bytes } = served.traffic;
      const part = (bytes / file.byteLength).toFixed(3);
      const size = (file.byteLength / 1e6).toFixed(1);
      console.log(
        `| ${basename(path)} | ${size} | ${server} | ${name} | ${requests} | ${roundTrips} | ${part} | ${ms.toFixed(0)} |`,
      );
    }
  }
}
// Backends keep threads.
process.exit(0);
