import { describe, expect, it } from "vitest";
import { lowerGroupNorms } from "./lower-group-norm.ts";
import { lowerPooling } from "./lower-pooling.ts";
import { cpu, program, text } from "./passes.test-helper.ts";
import { restoreLayouts } from "./restore-layouts.ts";

const own = cpu(["pt2::conv1x1", "pt2::group_norm", "pt2::max_pool2d", "pt2::linear"]);
const SOURCE = `parameter "w" = %w: f32[8]
  user_input %x: f32[1, 8, 6, 6]
  %a: f32[1, 8, 6, 6] = pt2::conv1x1(x=%x)`;

describe("lowerGroupNorms", () => {
  it("takes those of what has its channels last, and what was computed from it", () => {
    const before = program(`${SOURCE}
      %b: f32[1, 8, 6, 6] = aten::group_norm(input=%a, num_groups=4, weight=%w, bias=%w, eps=0.001)
      %c: f32[1, 8, 6, 6] = aten::group_norm(input=%b, num_groups=2)
      %d: f32[1, 8, 6, 6] = aten::mul.Tensor(%x, other=%c)
      %e: f32[1, 8, 6, 6] = aten::group_norm(input=%d, num_groups=8, weight=none, bias=%w)
      return %e`);
    expect(text(lowerGroupNorms(before, own))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[8]
      user_input %x: f32[1, 8, 6, 6]
      %a: f32[1, 8, 6, 6] = pt2::conv1x1(x=%x)
      %group_norm: f32[1, 8, 6, 6] = pt2::group_norm(x=%a, groups=4, weight=%w, bias=%w, eps=0.001)
      %group_norm_1: f32[1, 8, 6, 6] = pt2::group_norm(x=%group_norm, groups=2, weight=none, bias=none, eps=0.00001)
      %d: f32[1, 8, 6, 6] = aten::mul.Tensor(%x, other=%group_norm_1)
      %group_norm_2: f32[1, 8, 6, 6] = pt2::group_norm(x=%d, groups=8, weight=none, bias=%w, eps=0.00001)
      return %group_norm_2"
    `);
  });

  it("takes those that give statistics, which nothing reads", () => {
    const before = program(`${SOURCE}
      first: %b: f32[1, 8, 6, 6], %m: f32[1, 4], %r: f32[1, 4] = aten::native_group_norm(input=%a, weight=%w, bias=none, N=1, C=8, HxW=36, group=4, eps=0.001)
      second: %c: f32[1, 8, 6, 6], %n: f32[1, 4], %s: f32[1, 4] = aten::native_group_norm(input=%a, weight=%w, bias=none, N=1, C=8, HxW=36, group=4, eps=0.001)
      third: %d: f32[1, 8, 6, 6], %o: f32[2, 2], %t: f32[2, 2] = aten::native_group_norm(input=%a, weight=none, bias=none, N=2, C=4, HxW=36, group=2, eps=0.001)
      return %b, %c, %n, %d`);
    expect(text(lowerGroupNorms(before, own))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[8]
      user_input %x: f32[1, 8, 6, 6]
      %a: f32[1, 8, 6, 6] = pt2::conv1x1(x=%x)
      %group_norm: f32[1, 8, 6, 6] = pt2::group_norm(x=%a, groups=4, weight=%w, bias=none, eps=0.001)
      second: %c: f32[1, 8, 6, 6], %n: f32[1, 4], %s: f32[1, 4] = aten::native_group_norm(input=%a, weight=%w, bias=none, N=1, C=8, HxW=36, group=4, eps=0.001)
      third: %d: f32[1, 8, 6, 6], %o: f32[2, 2], %t: f32[2, 2] = aten::native_group_norm(input=%a, weight=none, bias=none, N=2, C=4, HxW=36, group=2, eps=0.001)
      return %group_norm, %c, %n, %d"
    `);
  });

  it("takes those of a batch that varies where they are told its size", () => {
    const told = (n: string): string =>
      text(
        lowerGroupNorms(
          program(`user_input %x: f32[s0, 8, 6, 6]
            user_input %other: f32[s1, 8]
            %n: int(s0) = aten::sym_size.int(%x, dim=0)
            %m: int(s1) = aten::sym_size.int(%other, dim=0)
            %a: f32[s0, 8, 6, 6] = pt2::conv1x1(x=%x)
            norm: %b: f32[s0, 8, 6, 6], %c: f32[s0, 4], %d: f32[s0, 4] = aten::native_group_norm(input=%a, weight=none, bias=none, N=%${n}, C=8, HxW=36, group=4, eps=0.001)
            return %b`),
          own,
        ),
      );
    expect(told("n")).toContain("pt2::group_norm(x=%a, groups=4");
    expect(told("m")).toContain("aten::native_group_norm");
  });

  it("pooling behind them is lowered, and their layout restored", () => {
    const before = program(`${SOURCE}
      %b: f32[1, 8, 6, 6] = aten::group_norm(input=%a, num_groups=4)
      %c: f32[1, 8, 6, 6] = aten::relu(%b)
      %d: f32[1, 8, 3, 3] = aten::max_pool2d(%c, kernel_size=[2, 2])
      return %b, %d`);
    const after = text(restoreLayouts(lowerPooling(lowerGroupNorms(before, own), own), own));
    expect(after).toContain("pt2::max_pool2d(x=%c");
    expect(after).toContain("%group_norm_restored: f32[1, 8, 6, 6] = aten::contiguous(%group_norm");
  });

  it("takes those of sequences", () => {
    const before = program(`user_input %x: f32[1, 8, 6]
      %a: f32[1, 8, 6] = pt2::conv1x1(x=%x)
      %b: f32[1, 8, 6] = aten::group_norm(input=%a, num_groups=4)
      return %b`);
    expect(text(lowerGroupNorms(before, own))).toContain("pt2::group_norm(x=%a, groups=4");
  });

  it("takes those of videos, and of each channel by itself", () => {
    const options =
      "running_mean=none, running_var=none, use_input_stats=true, momentum=0.1, eps=0.001, cudnn_enabled=true";
    const before = program(`user_input %x: f32[s0, 8, 6, 5, 4]
      %a: f32[s0, 8, 6, 5, 4] = pt2::conv1x1(x=%x)
      %b: f32[s0, 8, 6, 5, 4] = aten::group_norm(input=%a, num_groups=4)
      %c: f32[s0, 8, 6, 5, 4] = aten::instance_norm(input=%b, weight=none, bias=none, ${options})
      return %c`);
    expect(text(lowerGroupNorms(before, own)).split("\n").slice(2).join("\n")).toMatchInlineSnapshot(`
      "%group_norm: f32[s0, 8, 6, 5, 4] = pt2::group_norm(x=%a, groups=4, weight=none, bias=none, eps=0.00001)
      %group_norm_1: f32[s0, 8, 6, 5, 4] = pt2::group_norm(x=%group_norm, groups=8, weight=none, bias=none, eps=0.001)
      return %group_norm_1"
    `);
  });

  it.each([
    [
      "statistics are kept between runs",
      "%y: f32[1, 8, 6, 6] = aten::instance_norm(input=%a, weight=none, bias=none, running_mean=%w, running_var=%w, use_input_stats=true, momentum=0.1, eps=0.1, cudnn_enabled=true)",
    ],
    [
      "statistics are given",
      "%y: f32[1, 8, 6, 6] = aten::instance_norm(input=%a, weight=none, bias=none, running_mean=%w, running_var=%w, use_input_stats=false, momentum=0.1, eps=0.1, cudnn_enabled=true)",
    ],
    ["the order of memory is that of the file", "%y: f32[1, 8, 6, 6] = aten::group_norm(input=%x, num_groups=4)"],
    ["groups do not divide the channels", "%y: f32[1, 8, 6, 6] = aten::group_norm(input=%a, num_groups=3)"],
    ["there are no groups", "%y: f32[1, 8, 6, 6] = aten::group_norm(input=%a, num_groups=0)"],
    [
      "an op before returns rows",
      `%b: f32[1, 8, 6, 6] = pt2::linear(x=%a)
      %y: f32[1, 8, 6, 6] = aten::group_norm(input=%b, num_groups=4)`,
    ],
    [
      "these are no videos",
      `%b: f32[1, 8, 3, 2, 3, 2] = aten::reshape(%a, shape=[1, 8, 3, 2, 3, 2])
      %y: f32[1, 8, 3, 2, 3, 2] = aten::group_norm(input=%b, num_groups=4)`,
    ],
    [
      "they are of another type",
      `%b: f64[1, 8, 6, 6] = aten::to.dtype(%a, dtype=torch.float64)
      %y: f64[1, 8, 6, 6] = aten::group_norm(input=%b, num_groups=4)`,
    ],
  ])("keeps those where %s", (_, nodes) => {
    const before = program(`${SOURCE}\n${nodes}\nreturn %y`);
    expect(lowerGroupNorms(before, own)).toBe(before);
  });

  it("keeps all where there is no kernel, as on a GPU", () => {
    const before = program(`${SOURCE}\n%y: f32[1, 8, 6, 6] = aten::group_norm(input=%a, num_groups=4)\nreturn %y`);
    expect(lowerGroupNorms(before, cpu(["pt2::conv1x1"]))).toBe(before);
  });
});
