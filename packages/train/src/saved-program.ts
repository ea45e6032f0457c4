import { archiveToBytes } from "@pt2/format";
import { exportProgram } from "@pt2/graph";
import type { ProgramSource } from "@pt2/runtime";

/** Writes a program with its weights as a `.pt2` file, which `torch.export.load` opens. */
export async function savedProgram({ program, weights }: ProgramSource): Promise<Uint8Array> {
  const extraFiles = new Map(
    program.customOps === undefined || program.customOps.size === 0
      ? []
      : [["custom_ops.json", JSON.stringify(Object.fromEntries(program.customOps))] as const],
  );
  return await archiveToBytes({ models: [{ program: exportProgram(program), weights }], extraFiles });
}
