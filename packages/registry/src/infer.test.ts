import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import {
  type Bindings,
  evaluateSize,
  type Graph,
  graphsOf,
  importProgram,
  type Node,
  type Program,
  usesOf,
  walk,
} from "@pt2/graph";
import { describe, expect, it } from "vitest";
import { aten } from "./aten/aten-ops.ts";
import { argValue } from "./lower/arguments.ts";
import { Emitter } from "./lower/emit.ts";
import type { ArgValue } from "./tensor-meta.ts";
import { createRegistry } from "./user-ops/create-registry.ts";
import { isTensorMeta } from "./wrapped.ts";

const root = fileURLToPath(new URL("../../../tests/fixtures/", import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".pt2"));
const registry = createRegistry({ sets: [aten] });
const isNative = (op: string): boolean => registry.resolve(op)?.infer !== undefined;

/** Returns a size within its range for every symbol, except those that depend on data (`u0`). */
function bindingsOf({ ranges }: Program): Bindings {
  const size = (name: string): number => {
    const { min, max } = ranges.get(name) ?? { min: null, max: null };
    return Math.max(Number(min ?? 0), Math.min(8, Number(max ?? 8)));
  };
  const get = (name: string): number | undefined => (name.startsWith("s") ? size(name) : undefined);
  return { get, keys: () => ranges.keys() } as unknown as Bindings;
}

/**
 * Returns what PyTorch recorded about the values of a graph, for these sizes; values that depend on data are left out.
 */
function recorded(graph: Graph, bindings: Bindings): ReadonlyMap<string, ArgValue> {
  const values = new Map<string, ArgValue>();
  for (const [name, type] of graph.values) {
    try {
      if (type.kind === "tensor") {
        values.set(name, { dtype: type.dtype, shape: type.shape.map((size) => evaluateSize(size, bindings)) });
      } else if (type.kind === "symint" && type.value !== null) {
        values.set(name, evaluateSize(type.value, bindings));
      }
    } catch {
      // The size is not known before the program runs.
    }
  }
  return values;
}

function infer(node: Node, env: ReadonlyMap<string, ArgValue>): readonly ArgValue[] {
  const args = Object.fromEntries(node.args.map(({ name, arg }) => [name, argValue(arg, env, node)]));
  return new Emitter(registry, { name: "test", isNative }).emit(node.op, args, node);
}

function show(value: ArgValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  return isTensorMeta(value) ? `${value.dtype}[${value.shape.join(", ")}]` : String(value);
}

/** PyTorch before 2.9 exports a hidden state with one dimension too many. */
const isKnownMistake = (file: string, op: string): boolean => /torch-2\.[68]/.test(file) && op === "aten::lstm.input";

/** Returns the results that differ from PyTorch's, one line each. */
function differences(node: Node, env: ReadonlyMap<string, ArgValue>): readonly string[] {
  const results = infer(node, env);
  return node.outputs.flatMap((output, i) => {
    const names = output.kind === "list" ? output.names : output.kind === "value" ? [output.name] : [];
    const ours = [results[i] as ArgValue].flat();
    return names.flatMap((name, at) => {
      const theirs = env.get(name);
      const same = theirs === undefined || show(ours[at]) === show(theirs);
      return same ? [] : [`${node.op} %${name}: ${show(ours[at])} instead of ${show(theirs)}`];
    });
  });
}

describe("every node of the fixtures has PyTorch's shapes and dtypes", () => {
  it.each(files)("every node has PyTorch's shapes and dtypes: %s", async (file) => {
    const archive = await openArchive(await fromFile(root + file));
    const program = importProgram(await archive.program(archive.models[0]));
    await archive.close();
    const bindings = bindingsOf(program);
    const found: string[] = [];
    const environments = new Map<Graph, ReadonlyMap<string, ArgValue>>();
    // In a region of autocast operands are cast that no node casts.
    const casting = new Set<Graph>();
    walk(program.graph, (node, graph) => {
      if (node.op === "higher_order::wrap_with_autocast")
        for (const nested of graphsOf(node)) casting.add(nested.graph);
      if (casting.has(graph)) return;
      const env = environments.get(graph) ?? recorded(graph, bindings);
      environments.set(graph, env);
      const record = /^(aten|prims)::/.test(node.op) ? registry.resolve(node.op) : undefined;
      if (record === undefined || record.dynamic === true || isKnownMistake(file, node.op)) return;
      if (usesOf(node).every((name) => env.has(name))) found.push(...differences(node, env));
    });
    expect(found).toEqual([]);
  });
});
