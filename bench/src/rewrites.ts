// `node -C dev --import tsx src/rewrites.ts`: see README.md.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  canonicalize,
  foldBatchNorms,
  purity,
  recognizeGelu,
  recompose,
  recomposeAttention,
} from "@pt2/engine/rewrites";
import type { Program } from "@pt2/graph";
import { removeNoOps } from "@pt2/graph/passes";
import type { OpRegistry } from "@pt2/registry";
import { compareCpu } from "./cpu-time.ts";
import { BACKENDS, openFor } from "./open-for.ts";
import { machine, table } from "./report.ts";
import { summarize } from "./statistics.ts";
import { readTensors } from "./tensors.ts";

type Pass = (program: Program, registry: OpRegistry) => Program;

const target = (registry: OpRegistry) => ({ has: () => true, isClaimed: () => false, isPure: purity(registry) });

/** What makes patterns alike, which pays nothing by itself. */
const alike: Pass = (program, registry) => canonicalize(removeNoOps(program, { logicalViews: true }), target(registry));

/** Each rewrite on top of those that it needs, and models that it is for. */
const REWRITES: Readonly<Record<string, { readonly pass: Pass; readonly before: Pass; readonly models: string[] }>> = {
  "batch norms": {
    before: (program) => program,
    pass: (program, registry) => foldBatchNorms(program, target(registry)),
    models: ["resnet18", "mobilenet_v3_large_aten"],
  },
  activations: {
    before: alike,
    pass: (program, registry) => recompose(alike(program, registry), target(registry)),
    models: ["mobilenet_v3_large_aten", "efficientnet_b0_aten"],
  },
  attention: {
    before: (program) => program,
    pass: (program, registry) =>
      recomposeAttention(recompose(alike(program, registry), target(registry)), target(registry)),
    models: ["vit_tiny_aten", "bert_base_aten", "gpt2_aten"],
  },
  GELU: {
    before: alike,
    pass: (program, registry) => recognizeGelu(alike(program, registry), target(registry)),
    models: ["gpt2"],
  },
};

const { values } = parseArgs({
  options: {
    models: { type: "string", default: fileURLToPath(new URL("../models", import.meta.url)) },
    backend: { type: "string", default: "wasm" },
    rounds: { type: "string", default: "9" },
  },
});

const backend = await BACKENDS[values.backend]!();
const rows: (readonly string[])[] = [];
for (const [name, { before, pass, models }] of Object.entries(REWRITES)) {
  for (const model of models) {
    const path = `${values.models}/${model}.pt2`;
    if (!existsSync(path)) continue;
    const inputs = await readTensors(path.replace(/pt2$/, "inputs.safetensors"));
    // With precision `exact` backends rewrite nothing themselves.
    const without = await openFor(backend, path, inputs, { precision: "exact", rewrite: before });
    const rewritten = await openFor(backend, path, inputs, { precision: "exact", rewrite: pass });
    const times = await compareCpu([without, rewritten], Number(values.rounds));
    const ratio = summarize(times[1].map((ms, i) => ms / times[0][i]!));
    rows.push([
      name,
      model,
      summarize(times[0]).median.toFixed(1),
      summarize(times[1]).median.toFixed(1),
      `${ratio.median.toFixed(2)} ±${(ratio.spread * 100).toFixed(0)} %`,
    ]);
    console.error(rows.at(-1)!.join("  "));
  }
}
console.log(`${machine()}, ${values.backend}\n`);
console.log(table(["rewrite", "model", "without ms", "with ms", "ratio"], rows));
process.exit(0);
