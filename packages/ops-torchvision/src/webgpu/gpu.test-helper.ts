import { type WebgpuBackend, webgpu } from "@pt2/backend-webgpu/node";
import { Pt2Error } from "@pt2/format";
import { afterAll } from "vitest";

/** The backend that the tests of a file share; null where there is no GPU. */
export const gpu: WebgpuBackend | null = await webgpu().catch((problem: unknown) => {
  if (problem instanceof Pt2Error && problem.code === "webgpu.no-adapter") return null;
  throw problem;
});

/** Why tests are skipped, to be appended to their names; empty where they run. */
export const noGpu: string = gpu === null ? " (skipped: there is no GPU)" : "";

afterAll(async () => await gpu?.dispose());
