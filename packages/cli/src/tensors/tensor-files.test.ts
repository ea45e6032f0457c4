import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostTensor } from "@pt2/backend";
import { expect, it } from "vitest";
import { temporaryFolder } from "../fixtures.test-helper.ts";
import { splitCalls } from "./tensor-file.ts";
import { writeOutputs } from "./write-outputs.ts";

it("results that a .safetensors file cannot hold leave the file that is there", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "out.safetensors");
  writeFileSync(path, "before");
  const results = [[hostTensor("complex128", [1], Float64Array.of(1, 2))]];
  await expect(writeOutputs(path, results)).rejects.toMatchObject({ code: "format.write" });
  expect(readFileSync(path, "utf8")).toBe("before");
  expect(readdirSync(folder)).toEqual(["out.safetensors"]);
});

it("tensors belong to calls by their names, and a number beyond all calls is refused", () => {
  const x = hostTensor("float32", [1], Float32Array.of(1));
  const calls = splitCalls(new Map(["x", "call2.x", "call1.y.z"].map((name) => [name, x])));
  expect(calls.map((call) => [...call.keys()])).toEqual([["x"], ["y.z"], ["x"]]);
  expect(() => splitCalls(new Map([["call20261201.x", x]]))).toThrow(expect.objectContaining({ code: "cli.inputs" }));
});
