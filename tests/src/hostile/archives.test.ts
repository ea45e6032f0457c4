import { readFile } from "node:fs/promises";
import { wasm } from "@pt2/backend-wasm/node";
import { type RandomBelow, randomBelow } from "@pt2/conformance";
import { fromBytes, openArchive, Pt2Error } from "@pt2/format";
import { load } from "@pt2/runtime";
import { zipSync } from "fflate";
import { expect, test } from "vitest";
import { fixturePath, readCalls } from "../fixture.ts";
import type { Json } from "./mutate-json.ts";

const ROUNDS = Number(process.env["PT2_HOSTILE_ROUNDS"] ?? 60);

type Records = Record<string, Uint8Array>;

async function recordsOf(name: string): Promise<Records> {
  const archive = await openArchive(fromBytes(new Uint8Array(await readFile(fixturePath(`${name}.pt2`)))));
  const records: Records = {};
  for (const record of archive.records.keys()) records[record] = await archive.readRecord(record);
  return records;
}

const encode = (json: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(json));
const decode = (bytes: Uint8Array | undefined): Json => JSON.parse(new TextDecoder().decode(bytes)) as Json;

/** Loads an archive and runs it once; the outcome is `ran` or the code of an error. Anything else is thrown. */
async function outcome(
  records: Records,
  level: 0 | 9,
  call: Awaited<ReturnType<typeof readCalls>>[number],
): Promise<string> {
  try {
    await using model = await load(zipSync(records, { level }), { backend: wasm({ worker: false }) });
    await model.runFlat(call.inputs);
    return "ran";
  } catch (error) {
    if (error instanceof Pt2Error && !error.code.endsWith(".internal")) return error.code;
    throw error;
  }
}

/** The fixture `mlp` with its program text replaced. */
async function withProgram(change: (text: string) => string): Promise<Records> {
  const records = await recordsOf("torch-2.13/mlp");
  const text = new TextDecoder().decode(records["models/model.json"]);
  return { ...records, "models/model.json": new TextEncoder().encode(change(text)) };
}

async function firstCall(name: string): Promise<Awaited<ReturnType<typeof readCalls>>[number]> {
  return (await readCalls(fixturePath(name)))[0]!;
}

test("graphs nested 10,000 deep are refused", async () => {
  const nest = (text: string): string => {
    const program = JSON.parse(text) as { graph_module: { graph: { nodes: unknown[] } } };
    const { graph } = program.graph_module;
    const inner = '"NESTED"';
    const node = {
      target: "torch.ops.higher_order.wrap_with_set_grad_enabled",
      inputs: [{ name: "graph", kind: 1, arg: { as_graph: { name: "g", graph: "NESTED" } } }],
      outputs: [],
      metadata: {},
    };
    const layer = JSON.stringify({ ...graph, nodes: [node] });
    const [before, after] = layer.split(inner) as [string, string];
    const deep = before.repeat(10_000) + JSON.stringify(graph) + after.repeat(10_000);
    return JSON.stringify({ ...program, graph_module: { ...program.graph_module, graph: "NESTED" } }).replace(
      inner,
      () => deep,
    );
  };
  expect(await outcome(await withProgram(nest), 9, await firstCall("torch-2.13/mlp"))).toBe("format.limit");
});

test("a program of a million nodes runs or is refused", async () => {
  const grow = (text: string): string => {
    const at = text.indexOf('"nodes": [') + '"nodes": ['.length;
    const node = (i: number): string =>
      `{"target":"torch.ops.aten.relu.default","inputs":[{"name":"self","arg":{"as_tensor":{"name":"x"}},"kind":1}],"outputs":[{"as_tensor":{"name":"r${i}"}}],"metadata":{}},`;
    return text.slice(0, at) + Array.from({ length: 1_000_000 }, (_, i) => node(i)).join("") + text.slice(at);
  };
  expect(await outcome(await withProgram(grow), 0, await firstCall("torch-2.13/mlp"))).toMatch(
    /^[a-z]+\.[a-z-]+$|^ran$/,
  );
});

const NUMBERS: readonly number[] = [0, -1, 1, 3, 7, 65536, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 53, -(2 ** 63)];
const STRINGS: readonly string[] = [
  "",
  "weight_0",
  "weight_1",
  "../weight_0",
  "nowhere",
  "data/weights/weight_0",
  "__proto__",
];

/** Changes one entry of a weights config: a size, a stride, an offset, a dtype, a record's name, or its structure. */
function damage(config: Json, next: RandomBelow): void {
  const slots: { readonly holder: Record<string, Json>; readonly key: string }[] = [];
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      slots.push({ holder: value as Record<string, Json>, key });
      visit((value as Record<string, Json>)[key]!);
    }
  };
  visit(config);
  const slot = slots[next(slots.length)];
  if (slot === undefined) return;
  const { holder, key } = slot;
  const old = holder[key]!;
  if (Array.isArray(old) && next(2) === 0) holder[key] = [...old, ...old];
  else if (Array.isArray(old)) holder[key] = old.slice(1);
  else if (typeof old === "number") holder[key] = NUMBERS[next(NUMBERS.length)]!;
  else if (typeof old === "string") holder[key] = STRINGS[next(STRINGS.length)]!;
  else if (typeof old === "boolean") holder[key] = !old;
  else if (next(2) === 0) delete holder[key];
  else holder[key] = null;
}

test("damaged weight configs: a model runs or is refused with a code", async () => {
  const outcomes = new Map<string, number>();
  const findings: string[] = [];
  for (const name of ["torch-2.13/mlp", "torch-2.13/buffers", "torch-2.13/strides", "torch-2.13/consts"]) {
    const records = await recordsOf(name);
    const call = await firstCall(name);
    const configs = Object.keys(records).filter((record) => /weights_config|constants_config/.test(record));
    for (let seed = 0; seed < ROUNDS; seed++) {
      const next = randomBelow(seed * 7919 + name.length);
      const record = configs[next(configs.length)]!;
      const config = decode(records[record]);
      for (let count = 1 + next(2); count > 0; count--) damage(config, next);
      try {
        const result = await outcome({ ...records, [record]: encode(config) }, 0, call);
        outcomes.set(result, (outcomes.get(result) ?? 0) + 1);
      } catch (error) {
        findings.push(
          `${name}, seed ${seed}: ${JSON.stringify(config).slice(0, 200)}: ${(error as Error).stack?.slice(0, 300)}`,
        );
      }
    }
  }
  expect(findings).toEqual([]);
  expect(outcomes.get("ran")).toBeGreaterThan(10);
  expect(outcomes.size).toBeGreaterThan(3);
});

test("the unharmed archives run", async () => {
  expect(await outcome(await recordsOf("torch-2.13/mlp"), 9, await firstCall("torch-2.13/mlp"))).toBe("ran");
});
