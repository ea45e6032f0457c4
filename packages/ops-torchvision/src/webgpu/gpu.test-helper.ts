import { type WebgpuBackend, webgpu } from "@pt2/backend-webgpu/node";
import { orWhyNot } from "@pt2/testing/or-why-not";
import { afterAll } from "vitest";

const made = await orWhyNot(webgpu());

/** The backend that the tests of a file share; null where there is no GPU. */
export const gpu: WebgpuBackend | null = typeof made === "string" ? null : made;

/** Why tests are skipped, to be appended to their names; empty where they run. */
export const noGpu: string = typeof made === "string" ? ` (skipped: ${made})` : "";

afterAll(async () => await gpu?.dispose());
