import type { HostTensor } from "@pt2/backend";
import { webgpu } from "@pt2/backend-webgpu";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { prepare } from "@pt2/runtime";
import { gpu } from "./dawn.ts";
import type { OpenSubject } from "./subject.ts";

/**
 * Opens a row with `@pt2/backend-webgpu` as users get it. Inputs are flat, so the program is compiled without the
 * runtime around it.
 */
export const openOurs: OpenSubject = async (_row, { path, inputs }) => {
  const backend = await webgpu({ adapter: () => gpu.requestAdapter({ powerPreference: "high-performance" }) });
  const archive = await openArchive(await fromFile(`${path}.pt2`));
  const registry = createRegistry({ sets: [aten] });
  const program = await prepare(importProgram(await archive.program()), registry, backend.capabilities);
  const executable = await backend.compile({ program, weights: await archive.weights(), registry });
  await archive.close();
  const explained = (await executable.explain?.()) ?? "";
  return {
    run: async () => (await executable.run(inputs)).map((value) => (value as HostTensor).data as ArrayLike<number>),
    // Each part lists its dispatches; those of a forward come before those of the load.
    dispatches: [...explained.split("# at load")[0]!.matchAll(/\b(\d+) dispatches\b/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    ),
  };
};
