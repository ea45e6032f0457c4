import { webgpu } from "@pt2/backend-webgpu/node";
import { testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";

await testBackend("webgpu", () => webgpu(), { runner: { describe, it, afterAll } });
