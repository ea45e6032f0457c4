import { archiveToBytes, fromBytes, openArchive } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { FIXTURES, fixture } from "../fixtures.test-helper.ts";
import { importProgram } from "../import/import-program.ts";
import type { Program } from "../ir.ts";
import { parse } from "../text/parse-program.ts";
import { print } from "../text/print-program.ts";
import { exportProgram } from "./export-program.ts";

/** Writes a program without its weights, and reads it again. */
async function written(program: Program): Promise<Program> {
  const bytes = await archiveToBytes({ models: [{ program: exportProgram(program), weights: new Map() }] });
  return importProgram(await (await openArchive(fromBytes(bytes))).program());
}

describe("exportProgram", () => {
  it.each(FIXTURES)("importProgram reads what exportProgram wrote of %s", async (path) => {
    const program = await fixture(path);
    expect(await written(program)).toEqual(program);
  });

  it("a program without a calling convention takes its inputs by position", async () => {
    const program = parse(`program {
  user_input %x: f32[2]
  user_input %y: f32[2]
  %z: f32[2] = aten::add.Tensor(%x, other=%y)
  return %z, %x
}`);
    const { inSpec, outSpec } = await written(program);
    const specs = [inSpec, outSpec].map((spec) => print({ ...program, inSpec: spec, outSpec: null }));
    expect(specs[0]).toContain("in_spec tuple(tuple(*, *), dict())");
    expect(specs[1]).toContain("in_spec tuple(*, *)");
  });

  it.each([
    ["a list of numbers and strings", 'mine::op(%x, list=[1, "a"])', "A file has no list of int and string"],
    ["a list of tensors and numbers", "mine::op(%x, list=[%x, 1])", "A file has no list of value and int"],
  ])("exportProgram refuses %s", (_, call, message) => {
    const program = parse(`program {\n  user_input %x: f32[2]\n  %y: f32[2] = ${call}\n  return %y\n}`);
    expect(() => exportProgram(program)).toThrow(
      expect.objectContaining({ code: "graph.export", what: expect.stringContaining(message) }),
    );
  });
});
