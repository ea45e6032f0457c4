import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { CACHE_FOLDER } from "./scripts/cache-folder.ts";
import { findChromium } from "./scripts/chromium.ts";
import { findPython } from "./scripts/python.ts";
import { vulkanEnvironment } from "./scripts/vulkan.ts";

// Packages resolve to their sources through the `dev` condition: no build is needed before a test.
const resolve = { conditions: ["dev", "import", "module", "default"] };
// Vite reads TypeScript. Threads and processes that tests start bring tsx, which would cost each test file half a second.
const execArgv = ["-C", "dev"];

// What tests may use beyond Node; a test whose component is absent is skipped and says so. Compiled modules and downloads
// stay inside this folder.
const components = {
  PT2_PYTHON: findPython(),
  PT2_CHROMIUM: findChromium(),
  PT2_CACHE: process.env.PT2_CACHE ?? CACHE_FOLDER,
  ...vulkanEnvironment(),
  // lavapipe computes on the thread that submits: files share the cores already, and small dispatches become cheap.
  LP_NUM_THREADS: process.env.LP_NUM_THREADS ?? "0",
};
const env = Object.fromEntries(
  Object.entries(components).filter((entry): entry is [string, string] => entry[1] !== undefined),
);

// Ends what hangs, and nothing else: no test asks how long something took, on however slow a machine.
const PATIENCE_MS = 15 * 60_000;
const patience = {
  testTimeout: PATIENCE_MS,
  hookTimeout: PATIENCE_MS,
  expect: { poll: { timeout: PATIENCE_MS } },
};

export default defineConfig({
  resolve,
  ssr: { resolve },
  test: {
    // Vitest would leave a core to itself, which is half of a machine with two, and needs little of it.
    maxWorkers: availableParallelism(),
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "packages/*/{src,scripts}/**/*.test.ts",
            "scripts/**/*.test.ts",
            "examples/*/src/**/*.test.ts",
            "tests/src/**/*.test.ts",
          ],
          pool: "forks",
          execArgv,
          env,
          ...patience,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["tests/browser/**/*.test.ts"],
          pool: "forks",
          execArgv,
          env,
          ...patience,
        },
      },
    ],
  },
});
