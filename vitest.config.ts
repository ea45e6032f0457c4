import { defineConfig } from "vitest/config";

// Packages resolve to their sources through the `dev` condition: no build is needed before a test.
const resolve = { conditions: ["dev", "import", "module", "default"] };
const execArgv = ["-C", "dev", "--import", "tsx"];

export default defineConfig({
  resolve,
  ssr: { resolve },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "packages/*/src/**/*.test.ts",
            "scripts/**/*.test.ts",
            "examples/*/src/**/*.test.ts",
            "tests/src/**/*.test.ts",
          ],
          pool: "forks",
          execArgv,
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["tests/browser/**/*.test.ts"],
          pool: "forks",
          execArgv,
          testTimeout: 120_000,
        },
      },
    ],
  },
});
