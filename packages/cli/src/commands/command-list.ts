import type { Command } from "../command.ts";

/** The commands by name, in the order of the help. Each is imported on demand. */
export const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map<string, () => Promise<Command>>([
  ["inspect", async () => (await import("./inspect.ts")).inspect],
  ["ops", async () => (await import("./ops.ts")).ops],
  ["run", async () => (await import("./run.ts")).run],
  ["verify", async () => (await import("./verify.ts")).verify],
  ["recorder", async () => (await import("./recorder.ts")).recorder],
  ["bench", async () => (await import("./bench.ts")).bench],
  ["profile", async () => (await import("./profile.ts")).profile],
  ["graph", async () => (await import("./graph.ts")).graph],
  ["train", async () => (await import("./train.ts")).train],
  ["generate", async () => (await import("./generate.ts")).generate],
  ["save", async () => (await import("./save.ts")).save],
  ["codegen", async () => (await import("./codegen.ts")).codegen],
  ["types", async () => (await import("./types.ts")).types],
  ["new", async () => (await import("./new.ts")).newPackage],
  ["libtorch", async () => (await import("./libtorch.ts")).libtorch],
  ["doctor", async () => (await import("./doctor.ts")).doctor],
]);
