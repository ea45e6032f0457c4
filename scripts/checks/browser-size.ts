import { bundle } from "./bundle.ts";
import type { Check, Problem } from "./problem.ts";

interface Path {
  readonly what: string;
  /** A package whose dependencies reach everything that `code` imports. */
  readonly folder: string;
  readonly code: string;
  readonly budget: number;
}

const LOAD = 'export { load } from "@pt2/runtime";';

const WASM = 'export { wasm } from "@pt2/backend-wasm";';
const WEBGPU = 'export { webgpu } from "@pt2/backend-webgpu";';
// About 4 kB of each are the class `Tensor`, which prints, slices and converts. 0.4 kB tell programs that were exported with
// another default dtype, integers beyond 64 bits, equal products of sizes, and weights that are no map.
// 1.1 kB refuse what no function takes: misspelled options, with what was probably meant, and what is no program.
// 0.2 kB find calls that tokens order or that write to copies, and know of uint16, uint32 and uint64. 0.1 kB round sizes to decimals,
// and refuse a root, a logarithm or a power of sizes where Python does.
const PATHS: readonly Path[] = [
  {
    what: "before a model: format + graph + registry + backend + runtime",
    folder: "packages/runtime",
    code: LOAD,
    // 0.2 kB of it know which ops draw numbers, and which options reading has; 0.1 kB tell in-place draws apart, 0.2 kB are guards
    // of sizes; 0.1 kB take caches with what they hold beside tensors.
    budget: 57_100,
  },
  {
    what: "a page with WebGPU, before a model: the same + backend-webgpu",
    folder: "tests/src",
    code: `${LOAD} ${WEBGPU}`,
    // 0.1 kB of it are names and arguments that lowering again has in common with lowering; 0.6 kB are normal numbers with
    // PyTorch's bits, and 0.5 kB guards of sizes and unsigned integers.
    budget: 63_900,
  },
  {
    what: "a page whose models compute in a worker, before a model: the same + what talks to the worker",
    folder: "tests/src",
    code: `${LOAD} ${WASM}`,
    // Half a kB says how many threads compute, and why not more; 0.1 kB are random numbers that are made many at once, 0.6 kB
    // normal ones with PyTorch's bits, 0.4 kB guards of sizes and unsigned integers, and 0.1 kB take caches. 0.2 kB let runs end before a
    // backend is disposed, and end loads at once that were given up.
    budget: 68_300,
  },
  {
    what: "that worker, before it knows the ops of a program",
    folder: "packages/backend-wasm",
    code: 'export { start } from "./src/worker-main.ts";',
    // Kernels of rare ops load with the first one. 1 kB of it lets decompositions have graph breaks, half a kB orders
    // float32 by its bits, 1.2 kB plan products of other dtypes, and running extremes.
    budget: 129_000,
  },
  {
    what: "a page that finds things in pictures, without a backend: what `load` needs + vision",
    folder: "packages/vision",
    code: 'export { loadDetector } from "@pt2/vision";',
    // Of what `load` needs, 0.2 kB lower again what another size changes; 0.3 kB refuse misspelled options, and wait for pictures,
    // 0.2 kB are guards of sizes, and 0.1 kB write programs whose calls have several results.
    budget: 64_700,
  },
  {
    what: "a page that generates text, without a backend: what `load` needs + generate",
    folder: "packages/generate",
    code: 'export { loadLanguageModel, streamText } from "@pt2/generate";',
    budget: 67_800,
  },
  {
    what: "eager calls, without a backend: what `eagerOps` loads at once; the rules of all ops follow",
    folder: "packages/eager",
    code: 'export { eagerOps } from "@pt2/eager";',
    // 0.2 kB of it tell an argument `out` that is read from one that is written, and make sure that seeds are seeds; 0.5 kB
    // check what records compute in host memory; 0.7 kB name the parts with ops of prims and of lists, and misspelled options.
    budget: 46_900,
  },
];

/**
 * What a web page downloads before it opens a file: the code behind `load`, without a backend and with one, gzipped.
 * What it downloads until a network has answered is measured in a browser (`tests/browser/download.test.ts`).
 */
export const browserSize: Check = {
  name: "browser size",
  async run(report) {
    const problems: Problem[] = [];
    for (const { what, folder, code, budget } of PATHS) {
      const { bytes, gzip, onDemand, nodeImports } = await bundle({ code, folder });
      report(`${what}: ${kB(gzip)} gzip of at most ${kB(budget)} (${kB(bytes)} minified), ${kB(onDemand)} on demand`);
      if (gzip > budget) {
        const advice = "look at what came in with `esbuild --analyze`; data belongs behind an entry point of its own";
        problems.push({ where: what, what: `${kB(gzip)} gzip; the budget is ${kB(budget)}`, advice });
      }
      if (gzip < budget / 2) {
        const advice = "name the module that has moved, or lower the budget";
        problems.push({ where: what, what: `${kB(gzip)} gzip are less than half of the budget`, advice });
      }
      for (const { module, from } of nodeImports) {
        problems.push({ where: from, what: `imports ${module} on the browser path`, advice: "put it behind /node" });
      }
    }
    return problems;
  },
};

function kB(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
