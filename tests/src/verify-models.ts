/**
 * Checks every exported model of a folder on a backend and prints a table of the results.
 *
 *     node -C dev --import tsx tests/src/verify-models.ts DIR [--backend wasm|libtorch|webgpu] [--device cpu|cuda] [--bits]
 *         [--only PART]... [--json]
 *
 * DIR holds NAME.pt2, NAME.inputs.safetensors, NAME.expected.safetensors and NAME.json, as `scripts/python` makes them.
 * With `--bits` the program runs on one thread with precision `exact`, and each byte of each result must be that of
 * NAME.eager.safetensors (`scripts/python/eager_outputs.py`). Exits with 1 where a model does not give PyTorch's results.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Backend } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import { torchvision as onLibtorch } from "@pt2/ops-torchvision/libtorch";
import { torchvision as onWasm } from "@pt2/ops-torchvision/wasm";
import { torchvision as onWebgpu } from "@pt2/ops-torchvision/webgpu";
import type { OpSet } from "@pt2/registry";
import { load, type Model } from "@pt2/runtime/node";
import { recordedFile } from "@pt2/testing/recorded-file";
import { readExpectedCalls } from "../../packages/cli/src/verify/expected-calls.ts";
import { defaultTolerance, type ToleranceOf } from "../../packages/cli/src/verify/tolerance.ts";
import { type VerifyReport, verifyModel } from "../../packages/cli/src/verify/verify-model.ts";
import { verifyBits } from "./verify-bits.ts";

const BACKENDS: Readonly<Record<string, (device: string, threads: number | undefined) => Promise<Backend>>> = {
  wasm: async () => wasm({ worker: false }),
  libtorch: (device, threads) =>
    libtorch({ device, flags: { cudnnTf32: false }, ...(threads !== undefined && { threads }) }),
  webgpu: () => webgpu({ narrowFloat64: true }),
};

/** The ops of torchvision, with the kernels that a backend has for them. */
const OPS: Readonly<Record<string, OpSet>> = { wasm: onWasm, libtorch: onLibtorch, webgpu: onWebgpu };

/**
 * GPUs sum in another order, and have functions of their own precision, so float32 is compared with the tolerance that
 * WebGPU runtimes use.
 */
const gpuTolerance: ToleranceOf = (dtype) =>
  dtype === "float32" ? { rtol: 2e-3, atol: 1e-3 } : defaultTolerance(dtype);

interface Row {
  readonly model: string;
  readonly dialect: string;
  readonly nodes: number | null;
  readonly calls: number | null;
  readonly loadMs: number | null;
  readonly runMs: number | null;
  /** The worst error as a fraction of the tolerance. */
  readonly ratio: number | null;
  readonly result: string;
  readonly ok: boolean;
}

interface CheckOptions {
  readonly backend: string;
  readonly device: string;
  readonly bits: boolean;
}

async function check(folder: string, name: string, { backend: named, device, bits }: CheckOptions): Promise<Row> {
  const unknown = { nodes: null, calls: null, loadMs: null, runMs: null, ratio: null };
  const row = { model: name, dialect: name.endsWith("_aten") ? "ATEN" : "TRAINING", ...unknown };
  const path = (kind: string): string => join(folder, `${name}${kind}`);
  const backend = await BACKENDS[named]!(device, bits ? 1 : undefined);
  const verify = async (model: Model): Promise<VerifyReport> =>
    bits
      ? verifyBits(model, path(""))
      : verifyModel(model, {
          calls: await readExpectedCalls(model.inputs, {
            inputs: recordedFile(path(""), "inputs"),
            expected: recordedFile(path(""), "expected"),
          }),
          tolerance: named === "webgpu" ? gpuTolerance : defaultTolerance,
        });
  try {
    const begin = performance.now();
    await using model = await load(path(".pt2"), { backend, ops: [OPS[named]!], ...(bits && { precision: "exact" }) });
    const loadMs = performance.now() - begin;
    const report = await verify(model);
    const { program } = model;
    const bad = report.checks.find(({ comparison }) => !comparison.ok);
    return {
      model: name,
      dialect: program.dialect,
      nodes: program.graph.nodes.length,
      calls: report.calls,
      loadMs,
      // The last call counts, because the first one may still plan.
      runMs: report.runMs.at(-1) ?? null,
      ratio: report.ratio,
      result: report.ok ? "pass" : `**FAIL** ${bad?.name}: ${bad?.comparison.problem ?? "outside the tolerance"}`,
      ok: report.ok,
    };
  } catch (problem) {
    return {
      ...row,
      result: `**ERROR** ${String((problem as Error).message).replaceAll(/\s*[\n|]\s*/g, "; ")}`,
      ok: false,
    };
  } finally {
    await backend.dispose();
  }
}

function printRow({ model, dialect, nodes, calls, loadMs, runMs, ratio, result }: Row): string {
  const number = (value: number | null, digits = 0): string => value?.toFixed(digits) ?? "";
  const cells = [
    model,
    dialect,
    number(nodes),
    number(calls),
    number(loadMs),
    number(runMs, 1),
    ratio?.toPrecision(2) ?? "",
  ];
  return `| ${[...cells, result].join(" | ")} |`;
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    backend: { type: "string", default: "wasm" },
    device: { type: "string", default: "cpu" },
    bits: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    json: { type: "boolean", default: false },
  },
});
const [folder] = positionals;
if (folder === undefined || !(values.backend in BACKENDS)) {
  throw new Error("usage: verify-models.ts DIR [--backend B] [--device D] [--bits] [--only PART]... [--json]");
}
const names = readdirSync(folder)
  .flatMap((file) => (file.endsWith(".pt2") ? file.slice(0, -".pt2".length) : []))
  .filter((name) => existsSync(join(folder, `${name}${values.bits ? ".eager" : ".expected"}.safetensors`)))
  .filter((name) => values.only.length === 0 || values.only.some((part) => name.includes(part)))
  .sort();
const print = (line: string): void => {
  if (!values.json) console.log(line);
};
print("| model | dialect | nodes | calls | load ms | run ms | worst error / tolerance | result |");
print("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |");
const rows: Row[] = [];
for (const name of names) {
  const row = await check(folder, name, values);
  rows.push(row);
  print(printRow(row));
}
const passed = rows.filter(({ ok }) => ok).length;
const measure = values.bits
  ? "bit by bit"
  : values.backend === "webgpu"
    ? "at rtol 2e-3, atol 1e-3 (float32)"
    : "at rtol 1e-3, atol 1e-4 (float32)";
print(`\n${passed} of ${rows.length} pass ${measure}.`);
if (values.json) console.log(JSON.stringify(rows, null, 1));
process.exitCode = rows.length > 0 && passed === rows.length ? 0 : 1;
