// What callers in plain JavaScript may get wrong, for every function that the packages export.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as autograd from "@pt2/autograd";
import * as libtorch from "@pt2/backend-libtorch/node";
import * as wasm from "@pt2/backend-wasm";
import * as wasmNode from "@pt2/backend-wasm/node";
import * as webgpu from "@pt2/backend-webgpu";
import * as webgpuNode from "@pt2/backend-webgpu/node";
import * as conformance from "@pt2/conformance";
import * as eager from "@pt2/eager";
import * as format from "@pt2/format";
import * as graph from "@pt2/graph";
import * as functionalize from "@pt2/graph/functionalize";
import * as passes from "@pt2/graph/passes";
import * as registry from "@pt2/registry";
import * as runtime from "@pt2/runtime";
import * as runtimeNode from "@pt2/runtime/node";
import * as train from "@pt2/train";
import * as vision from "@pt2/vision";
import * as visionNode from "@pt2/vision/node";
import { expect, it } from "vitest";
import { fixturePath } from "./fixture.ts";

const PACKAGES = join(import.meta.dirname, "../../packages");
const ENTRIES: Readonly<Record<string, object>> = {
  autograd,
  "backend-libtorch/node": libtorch,
  "backend-wasm": wasm,
  "backend-wasm/node": wasmNode,
  "backend-webgpu": webgpu,
  "backend-webgpu/node": webgpuNode,
  conformance,
  eager,
  format,
  graph,
  "graph/functionalize": functionalize,
  "graph/passes": passes,
  registry,
  runtime,
  "runtime/node": runtimeNode,
  train,
  vision,
  "vision/node": visionNode,
};

type Anything = (...args: readonly unknown[]) => unknown;

const functionOf = (entry: string, name: string): Anything =>
  (ENTRIES[entry] as Readonly<Record<string, Anything>>)[name]!;

/** Returns what a call throws, rejects with, or throws when its first item is asked for; undefined where it does none of these. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    const result = (await call()) as Partial<AsyncIterator<unknown>> | undefined;
    await result?.next?.();
    return undefined;
  } catch (error) {
    return error;
  }
}

const program = graph.parse(`program {
  user_input %x: f32[3]
  %y: f32[] = aten::sum(self=%x)
  return %y
}`);
const source = fixturePath("torch-2.13/mlp.pt2");
const address = "http://127.0.0.1:1/never-asked-for.pt2";
const backend = wasmNode.wasm({ worker: false, threads: 1 });
const model = { run: () => {} };

/** The arguments of each function that takes options, before these; a test compares the names with `API.txt`. */
const BEFORE_OPTIONS: Readonly<Record<string, readonly unknown[]>> = {
  "autograd grad": [program],
  "autograd withLoss": [program],
  "backend-libtorch/node buildAddon": [{}],
  "backend-libtorch/node findBuiltAddon": [],
  "backend-libtorch/node findLibtorch": [],
  "backend-libtorch/node installLibtorch": [],
  "backend-libtorch/node libtorch": [],
  "backend-libtorch/node loadAddon": [],
  "backend-libtorch/node searchLibtorch": [],
  "backend-wasm wasm": [],
  "backend-wasm/node wasm": [],
  "backend-webgpu webgpu": [],
  "backend-webgpu/node webgpu": [],
  "conformance checkOp": [registry.defineOp("mine::same(Tensor self) -> Tensor"), []],
  "conformance gradcheck": [program],
  "conformance testBackend": ["mine", () => backend],
  "eager eagerOps": [backend],
  "format cacheUsage": [],
  "format cached": [address],
  "format clearCache": [],
  "format fromUrl": [address],
  "format openArchive": [format.fromBytes(new Uint8Array(1))],
  "graph print": [program],
  "graph printGraph": [program.graph],
  "graph/passes eliminateDeadCode": [program],
  "graph/passes removeNoOps": [program],
  "registry createRegistry": [],
  "runtime arange": [3],
  "runtime full": [[2], 1],
  "runtime load": [new Uint8Array(1)],
  "runtime ones": [[2]],
  "runtime openProgram": [new Uint8Array(1)],
  "runtime rand": [[2]],
  "runtime randn": [[2]],
  "runtime readSchema": [new Uint8Array(1)],
  "runtime readWeights": [new Uint8Array(1)],
  "runtime tensor": [[1]],
  "runtime zeros": [[2]],
  "runtime/node load": [source],
  "runtime/node openProgram": [source],
  "runtime/node readSchema": [source],
  "runtime/node readWeights": [source],
  "train adadelta": [],
  "train adagrad": [],
  "train adam": [],
  "train adamW": [],
  "train cosine": [],
  "train createTrainer": [{ program, weights: new Map() }],
  "train rmsprop": [],
  "train sgd": [],
  "train stepDecay": [],
  "vision annotate": [{ save: () => {}, measureText: () => {} }, []],
  "vision annotateSvg": [[], { width: 2, height: 2 }],
  "vision classifier": [model],
  "vision detector": [model],
  "vision loadClassifier": [source],
  "vision loadDetector": [source],
  "vision/node classifier": [model],
  "vision/node detector": [model],
  "vision/node loadClassifier": [source],
  "vision/node loadDetector": [source],
};

/** What such a call needs beside the option that it does not have, so that this one is the first that is wrong. */
const REQUIRED: Readonly<Record<string, object>> = {
  "conformance checkOp": { backends: [backend] },
  "conformance gradcheck": { backend, inputs: [] },
  "conformance testBackend": { runner: {} },
  "graph/passes eliminateDeadCode": { isPure: () => true },
  "registry createRegistry": { sets: [] },
  "runtime load": { backend },
  "runtime/node load": { backend },
  "train cosine": { steps: 1 },
  "vision loadClassifier": { backend },
  "vision loadDetector": { backend },
  "vision/node loadClassifier": { backend },
  "vision/node loadDetector": { backend },
  "train createTrainer": { backend, optimizer: train.sgd() },
  "train stepDecay": { size: 1 },
};

/** For `load`, which takes options of others: its own are told from them by being misspelled. */
const misspelled = (name: string): string => (name.endsWith(" load") ? "signall" : "noSuchOption");

it.each(Object.keys(BEFORE_OPTIONS))("%s refuses an option that it does not have", async (name) => {
  const [entry, fn] = name.split(" ") as [string, string];
  const options = { ...REQUIRED[name], [misspelled(name)]: 1 };
  expect(await failureOf(() => functionOf(entry, fn)(...BEFORE_OPTIONS[name]!, options))).toMatchObject({
    name: "Pt2Error",
    code: expect.stringMatching(/\.(options|argument)$/),
    what: expect.stringContaining(misspelled(name)),
    advice: expect.stringContaining("options are {"),
  });
});

/**
 * Functions on parts of a program, of an op or of a report, and passes without options, which every load calls, planners and
 * the suites of conformance too: their arguments come from the functions that are checked.
 */
const BUILDING_BLOCKS: Readonly<Record<string, readonly string[]>> = {
  autograd: ["gradientRuleOf"],
  "backend-libtorch/node": ["describeLibtorch"],
  "backend-wasm": ["addressOf", "moduleKernel", "wasmKernel"],
  "backend-webgpu": ["webgpuKernel"],
  conformance: Object.keys(conformance).filter((name) => !["gradcheck", "checkOp"].includes(name)),
  eager: ["overloadsOf"],
  format: [
    ...["absentWeights", "bitsToFloat", "bitsToFloat32", "floatToBits", "roundHalfEven", "isSmallFloat"],
    ...["contiguousStrides", "isContiguous", "normalDim", "numel", "reachOf", "reachOutside", "sameShape"],
    ...["expectStorages", "onAbort", "unlessAborted", "dtypeFromSchema"],
  ],
  graph: [
    ...["argOf", "definitionsOf", "describeNode", "graphsOf", "usesOf", "valuesOf", "splitOpName", "isSymbolic"],
    ...[
      "isGradient",
      "isModuleResult",
      "isReturned",
      "isStateMutation",
      "printSym",
      "printType",
      "evaluate",
      "evaluateSize",
    ],
    ...[
      "bindSymbols",
      "stats",
      "walk",
      "evaluateSymbolicOp",
      "countLeaves",
      "flatten",
      "unflatten",
      "inputNames",
      "leafNames",
      "structureOf",
    ],
  ],
  "graph/passes": Object.keys(passes).filter((name) => !["eliminateDeadCode", "removeNoOps"].includes(name)),
  registry: Object.keys(registry).filter((name) => !["createRegistry", "defineOp", "parseSchema"].includes(name)),
  runtime: ["describeType"],
  "runtime/node": ["describeType"],
};

it("every exported function with options is among them", async () => {
  // What several entry points export is called once.
  const called = new Set(
    Object.keys(BEFORE_OPTIONS).map((name) => functionOf(...(name.split(" ") as [string, string]))),
  );
  const missing: string[] = [];
  for (const entry of Object.keys(ENTRIES)) {
    const report = await readFile(join(PACKAGES, entry.split("/")[0]!, "API.txt"), "utf8");
    const part = report.split(/^## /m).find((text) => text.startsWith(`@pt2/${entry}\n`))!;
    for (const [, fn, args] of part.matchAll(/^export declare function (\w+)(.*);$/gm)) {
      const hasOptions = /[(,] ?(options|given|parts)\??: |\}\??: \w*Options/.test(args!);
      const isBlock = BUILDING_BLOCKS[entry]?.includes(fn!) === true;
      if (hasOptions && !isBlock && !called.has(functionOf(entry, fn!))) missing.push(`${entry} ${fn}`);
    }
  }
  expect(missing).toEqual([]);
});

const NONSENSE: readonly unknown[] = [undefined, null, 5, "x", {}, [], () => undefined];

/** What would go on where it is allowed to, such as to compile the native module. */
const WITH_EFFECTS = [
  "installLibtorch",
  "buildAddon",
  "loadAddon",
  "findBuiltAddon",
  "libtorch",
  "clearKeptWeights",
  "webgpu",
];

const CHECKED = Object.entries(ENTRIES).flatMap(([entry, all]) =>
  Object.entries(all).flatMap(([name, value]): (readonly [string, string])[] => {
    const isFunction = typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value));
    const isChecked = !WITH_EFFECTS.includes(name) && BUILDING_BLOCKS[entry]?.includes(name) !== true;
    return isFunction && isChecked ? [[entry, name]] : [];
  }),
);

it.each(CHECKED)("%s %s refuses nonsense with a coded error", async (entry, name) => {
  const calls = [[], ...NONSENSE.flatMap((each) => [[each], [each, each], ["x", each], [{}, each], [program, each]])];
  for (const args of calls) {
    const failure = await failureOf(() => functionOf(entry, name)(...args));
    if (failure !== undefined)
      expect(failure, `with ${args.map(String).join(", ")}`).toMatchObject({ name: "Pt2Error" });
  }
});
