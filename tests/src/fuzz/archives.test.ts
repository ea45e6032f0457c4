import { wasm } from "@pt2/backend-wasm/node";
import { expect, test } from "vitest";
import { firstCall, outcome, type Records, recordsOf, runDamagedWeights } from "./damaged-archives.ts";

const ROUNDS = Number(process.env["PT2_FUZZ_ROUNDS"] ?? 60);

const backend = wasm({ worker: false });

/** Makes the fixture `mlp` with its program text replaced. */
async function withProgram(change: (text: string) => string): Promise<Records> {
  const records = await recordsOf("torch-2.13/mlp");
  const text = new TextDecoder().decode(records["models/model.json"]);
  return { ...records, "models/model.json": new TextEncoder().encode(change(text)) };
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
  expect(await outcome(await withProgram(nest), 9, await firstCall("torch-2.13/mlp"), backend)).toBe("format.limit");
});

test("a program of a million nodes runs", async () => {
  const grow = (text: string): string => {
    const at = text.indexOf('"nodes": [') + '"nodes": ['.length;
    const node = (i: number): string =>
      `{"target":"torch.ops.aten.relu.default","inputs":[{"name":"self","arg":{"as_tensor":{"name":"x"}},"kind":1}],"outputs":[{"as_tensor":{"name":"r${i}"}}],"metadata":{}},`;
    return text.slice(0, at) + Array.from({ length: 1_000_000 }, (_, i) => node(i)).join("") + text.slice(at);
  };
  expect(await outcome(await withProgram(grow), 0, await firstCall("torch-2.13/mlp"), backend)).toBe("ran");
});

test("a model with a damaged weight config runs or is refused with a code", async () => {
  const { counts, findings } = await runDamagedWeights({ backend }, ROUNDS);
  expect(findings).toEqual([]);
  expect(counts.get("ran")).toBeGreaterThan(10);
  expect(counts.size).toBeGreaterThan(3);
});

test("the undamaged archives run", async () => {
  expect(await outcome(await recordsOf("torch-2.13/mlp"), 9, await firstCall("torch-2.13/mlp"), backend)).toBe("ran");
});
