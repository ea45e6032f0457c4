import { expect, it } from "vitest";
import { webgpu as webgpuInPage } from "./index.ts";
import { webgpu } from "./node.ts";

it.each<[string, unknown]>([
  ["a misspelled option", { output: "device" }],
  ["outputs that are nowhere", { outputs: "gpu" }],
  ["a switch that is a text", { narrowFloat64: "yes" }],
  ["null", null],
])("webgpu() rejects %s", async (_, options) => {
  for (const make of [webgpu, webgpuInPage]) {
    await expect(make(options as object)).rejects.toMatchObject({ name: "Pt2Error", code: "backend.options" });
  }
});
