// `pnpm bench:sizes`: see README.md.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BACKENDS } from "./src/open-for.ts";
import { machine, table } from "./src/report.ts";
import { measureSizes } from "./src/sizes/measure.ts";
import { SIZED } from "./src/sizes/programs.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "bench/models/sizes" },
    backend: { type: "string", multiple: true, default: ["wasm", "webgpu"] },
    only: { type: "string", multiple: true, default: Object.keys(SIZED) },
    sizes: { type: "string", default: "200" },
  },
});

console.log(`${machine()}\n`);
const rows: (readonly string[])[] = [];
for (const backend of values.backend) {
  for (const name of values.only) {
    const path = join(values.models, `${name}.pt2`);
    const onnx = join(values.models, `${name}.onnx`);
    const { first, fresh, again, share, peer } = await measureSizes(await BACKENDS[backend]!(), path, SIZED[name]!, {
      count: Number(values.sizes),
      onnx: backend === "wasm" && existsSync(onnx) ? onnx : null,
    });
    const ms = (time: number): string => `${time.toFixed(1)} ms`;
    const compared = peer === undefined ? ["–", "–"] : [ms(peer.fresh), peer.ratio.toFixed(2)];
    rows.push([name, backend, ms(first), ms(fresh), ms(again), `${(share * 100).toFixed(1)} %`, ...compared]);
    console.error(rows.at(-1)!.join("  "));
  }
}
const headings = ["program", "backend", "first call", "new size", "same size", "planning / run"];
console.log(table([...headings, "onnxruntime-web, new size", "new size, ratio"], rows));
process.exit(0);
