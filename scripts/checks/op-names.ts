import { filesIn, readText } from "../workspace.ts";
import type { Check, Problem } from "./problem.ts";

/** The name of an op, or the beginning of one, in a string, a template or a regular expression. */
const NAMED = /(?<!\\)["'`/^(|](?:aten|prims|torch_nn|transformers|quantized_decomposed|torchao)::[\w.$]?/;

/** Code that makes a call of an op: what such a call means is asked of the op's record. */
const MADE = /\b(?:tensor|call|callSync|emit|emitInt|load)\(\[?["'`]aten::|\bop: ["'`]aten::/;

/** Where ops may be told apart by their names: folders and files, each with the reason. */
const EXCEPTIONS: readonly (readonly [path: string, why: string])[] = [
  ["packages/registry/src/aten/", "records"],
  ["packages/registry/src/quantized/", "records"],
  ["packages/registry/src/torch-nn/", "records"],
  ["packages/registry/src/transformers/", "records"],
  [
    "packages/registry/src/lower/check-arguments.ts",
    "PyTorch's names of arguments mean the same in its namespace only",
  ],
  ["packages/backend-wasm/src/kernels/", "kernels say which ops they run"],
  ["packages/backend-webgpu/src/kernels/", "kernels say which ops they run"],
  ["packages/engine/src/host/", "kernels say which ops they run"],
  ["packages/engine/src/dynamic/", "kernels say which ops they run"],
  ["packages/engine/src/order/selections.ts", "what kernels of several backends run"],
  ["packages/engine/src/windows.ts", "what kernels of several backends run"],
  ["packages/engine/src/rewrites/", "a rewrite finds patterns of ops in a program"],
  ["packages/engine/src/foreign-ops.ts", "tells where ops without a record come from"],
  [
    "packages/backend-libtorch/src/encode/wider-states.ts",
    "recurrent layers have a state, which they take only in autocast",
  ],
  ["packages/backend-libtorch/src/optimize/", "a rewrite finds patterns of ops in a program"],
  ["packages/backend-libtorch/src/routes.ts", "numbers are computed by ops of Python's own namespaces"],
  ["packages/cli/src/commands/train.ts", "a loss is named without its namespace"],
  ["packages/cli/src/verify/computed-in.ts", "what only moves or converts elements does not compute in their dtype"],
  ["packages/cli/src/verify/per-node.ts", "memory that nothing was written to has no values to compare"],
  ["packages/cli/src/codegen/", "sizes and assertions become TypeScript of their own, not calls of ops"],
  ["packages/conformance/src/", "a suite of tests"],
  ["packages/autograd/src/rules/", "the gradient rules of PyTorch's ops, as its derivatives.yaml has them"],
  ["packages/autograd/src/differentiation.ts", "views become reshapes where copies between them may be gone"],
  ["packages/autograd/src/detached-regions.ts", "where PyTorch cuts gradients off"],
  ["packages/autograd/src/with-loss.ts", "losses of class indices"],
  ["packages/train/src/complex-parameters.ts", "appends arithmetic to a graph"],
  ["packages/train/src/lora.ts", "adapters of linear layers"],
  ["packages/train/src/trainer.ts", "what the gradient of an unused parameter is made by"],
  ["packages/train/src/update-builder.ts", "appends arithmetic to a graph"],
  ["packages/train/src/with-optimizer.ts", "appends arithmetic to a graph"],
  ["packages/generate/src/last-row.ts", "which ops heads of language models consist of"],
  ["packages/generate/src/sampling-program.ts", "the calls of a program that it writes"],
  ["packages/vision/src/image-ops.ts", "which of PyTorch's ops resizes as a preset says"],
  ["packages/vision/src/image-program.ts", "the type of the calls that it makes"],
  ["packages/backend/src/unsupported-ops.ts", "advice for programs with PyTorch's ops"],
  ["packages/graph/src/passes/autocast/", "PyTorch's own lists of what autocast does with each op"],
  ["packages/graph/src/passes/default-dtypes.ts", "the rule of PyTorch's own namespace"],
  ["packages/graph/src/passes/name-default-dtypes.ts", "a rewrite of one op"],
  ["packages/graph/src/passes/random-draws.ts", "which ops draw in the order of memory"],
  ["packages/graph/src/passes/factors-in-memory-order.ts", "a rewrite of two ops"],
  ["packages/graph/src/passes/draw-in-memory-order.ts", "which of these draw in blocks, and which forget the order"],
  [
    "packages/graph/src/passes/functionalize/functional-names.ts",
    "functional variants of in-place ops with irregular names",
  ],
  ["packages/graph/src/passes/functionalize/functionalizer.ts", "which ops have a rewrite of their own"],
  ["packages/graph/src/passes/functionalize/instance-norm.ts", "a rewrite of one op"],
  [
    "packages/graph/src/passes/functionalize/keep-layouts.ts",
    "runs before there is a registry: ops whose results depend on how a tensor lies in memory",
  ],
  ["packages/graph/src/passes/functionalize/memory.ts", "ops that look at memory behind a view"],
  ["packages/graph/src/passes/functionalize/memory-write.ts", "which ops write one number everywhere"],
  ["packages/graph/src/passes/functionalize/node-effects.ts", "normalizations write although no schema says so"],
  ["packages/graph/src/passes/functionalize/resize.ts", "a rewrite of two ops"],
  ["packages/graph/src/passes/functionalize/viewable.ts", "what decides whether PyTorch gives a view or a copy"],
  ["packages/graph/src/op-name.ts", "an example in a message"],
  [
    "packages/graph/src/passes/functionalize/replace-in-place-views.ts",
    "runs before there is a registry: which ops return their argument",
  ],
  ["packages/graph/src/passes/has-in-place-views.ts", "runs before there is a registry"],
  ["packages/graph/src/passes/hidden-writes.ts", "what schemas hide, of ops without records too"],
  ["packages/graph/src/passes/no-op-rules.ts", "runs before there is a registry: what an exporter leaves behind"],
  [
    "packages/graph/src/passes/ordered-checks.ts",
    "runs before there is a registry: checks by position, as an exporter writes them",
  ],
  ["packages/graph/src/passes/strided-views.ts", "a rewrite finds patterns of ops in a program"],
  ["packages/graph/src/passes/symbolic-ops.ts", "what ops on sizes mean, which the graph itself computes with"],
];

const NO_PRODUCT = /\.test\.ts$|test-helper|testbed|\/testing\/|\.gen\.ts$/;

/** Only records and kernels tell ops apart by name; a fact that others need is a field of the record. */
export const opNames: Check = {
  name: "op names",
  run() {
    const needed = new Set<string>();
    const problems = filesIn("packages", ".ts")
      .filter((file) => /^packages\/[\w-]+\/src\//.test(file) && !NO_PRODUCT.test(file))
      .flatMap((file) => {
        const exception = EXCEPTIONS.find(([path]) => file.startsWith(path))?.[0];
        const found = namesIn(readText(file));
        if (exception === undefined) return found.map((line): Problem => problem(`${file}:${line}`));
        if (found.length > 0) needed.add(exception);
        return [];
      });
    const unneeded = EXCEPTIONS.filter(([path]) => !needed.has(path));
    return [
      ...problems,
      ...unneeded.map(([where]): Problem => {
        const advice = "remove it from scripts/checks/op-names.ts";
        return { where, what: "is an exception in which no op is named any more", advice };
      }),
    ];
  },
};

/** The lines of code that name an op other than to call it. */
function namesIn(text: string): readonly number[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ""));
  return code.split("\n").flatMap((line, i) => {
    const plain = line.replace(/(?:^|\s)\/\/.*/, "");
    return NAMED.test(plain) && !MADE.test(plain) ? [i + 1] : [];
  });
}

function problem(where: string): Problem {
  return {
    where,
    what: "tells an op by its name",
    advice: "make what it has to know a field of the op's record (packages/registry/src/op.ts), and read that",
  };
}
