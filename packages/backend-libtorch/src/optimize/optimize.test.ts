import { readdirSync } from "node:fs";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram, type Program, stats, validate } from "@pt2/graph";
import { removeNoOps } from "@pt2/graph/passes";
import { describe, expect, it } from "vitest";
import { optimize } from "./optimize.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const OWN = ["depthwise_conv2d", "conv1x1", "winograd_conv2d", "linear", "squeeze_excite", "attention", "layer_norm"];
const target = cpu(OWN.map((name) => `pt2::${name}`));
const ROOT = new URL("../../../../tests/fixtures/", import.meta.url);
const FIXTURES = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((path) => /^torch-[\d.]+\/.*\.pt2$/.test(path))
  .sort();

async function fixture(path: string): Promise<Program> {
  const archive = await openArchive(await fromFile(new URL(path, ROOT).pathname));
  try {
    return removeNoOps(importProgram(await archive.program()), { keepCopies: true });
  } finally {
    await archive.close();
  }
}

describe("optimize", () => {
  it.each(FIXTURES)("leaves %s sound, with the signature it had", async (path) => {
    const before = await fixture(path);
    const { program: main, prologue } = optimize(before, target);
    expect(validate(main)).toEqual([]);
    expect(prologue === null ? [] : validate(prologue.program)).toEqual([]);
    expect(main.outputs).toEqual(before.outputs);
    const given = (inputs: Program["inputs"]): unknown[] => inputs.filter(({ kind }) => kind === "user_input");
    expect(given(main.inputs)).toEqual(given(before.inputs));
  });

  it("makes one op of a convolution, its batch norm, a residual and an activation", () => {
    const { program: main, prologue } = optimize(
      program(`parameter "k" = %k: f32[64, 64, 3, 3]
        parameter "g" = %g: f32[64]
        buffer "m" = %m: f32[64]
        user_input %x: f32[1, 64, 14, 14]
        %c: f32[1, 64, 14, 14] = aten::conv2d(input=%x, weight=%k, bias=none, stride=[1, 1], padding=[1, 1])
        %n: f32[1, 64, 14, 14] = aten::batch_norm(input=%c, weight=%g, bias=%g, running_mean=%m, running_var=%m, training=false, momentum=0.1, eps=0.001, cudnn_enabled=false)
        %s: f32[1, 64, 14, 14] = aten::add_.Tensor(%n, other=%x)
        %y: f32[1, 64, 14, 14] = aten::relu_(%s)
        return %y`),
      target,
    );
    expect(stats(main.graph).map(({ op }) => op)).toEqual(["pt2::winograd_conv2d", "aten::contiguous"]);
    expect(text(main)).toContain('residual=%x, padding=[1, 1], attr="relu"');
    expect(prologue?.targets).toHaveLength(2);
  });

  it("makes a constant that is written to a buffer, which the program updates", () => {
    const { program: optimized } = optimize(
      program(`tensor_constant "c" = %c: f32[2]
        %a: f32[2] = aten::add_.Tensor(%c, other=1)
        return %a`),
      target,
    );
    expect(optimized.inputs).toMatchObject([{ kind: "buffer", target: "c" }]);
    expect(stats(optimized.graph).map(({ op }) => op)).toEqual(["aten::add.Tensor", "aten::copy_"]);
  });

  it("leaves a program alone whose writes an op handler takes", () => {
    const claimed = program(`user_input %x: f32[2]
      %a: f32[2] = aten::relu_(%x)
      return %a`);
    expect(optimize(claimed, cpu([], ["aten::relu_"])).program).toBe(claimed);
  });
});
