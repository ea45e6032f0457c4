import { expect, it } from "vitest";
import { lowerPooling } from "./lower-pooling.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const own = cpu([
  "pt2::max_pool2d",
  "pt2::max_pool3d",
  "pt2::avg_pool2d",
  "pt2::global_average_pool",
  "pt2::squeeze_excite",
  "pt2::depthwise_conv2d",
]);
const SOURCE = `user_input %x: f32[1, 8, 6, 6]
  %a: f32[1, 8, 6, 6] = pt2::depthwise_conv2d(x=%x)`;

it("pools what has its channels last", () => {
  const before = program(`${SOURCE}
    %b: f32[1, 8, 3, 3] = aten::max_pool2d(%a, kernel_size=[2, 2])
    %c: f32[1, 8, 4, 4] = aten::max_pool2d(%a, kernel_size=[3, 3], stride=[2, 2], padding=[1, 1], ceil_mode=true)
    with: %d: f32[1, 8, 3, 3], %unused: i64[1, 8, 3, 3] = aten::max_pool2d_with_indices(%a, kernel_size=[2, 2])
    %e: f32[1, 8, 1, 1] = aten::adaptive_avg_pool2d(%a, output_size=[1, 1])
    %f: f32[1, 8, 1, 1] = aten::mean.dim(%a, dim=[-1, -2], keepdim=true)
    return %b, %c, %d, %e, %f`);
  expect(text(lowerPooling(before, own))).toMatchInlineSnapshot(`
    "user_input %x: f32[1, 8, 6, 6]
    %a: f32[1, 8, 6, 6] = pt2::depthwise_conv2d(x=%x)
    %max_pool2d: f32[1, 8, 3, 3] = pt2::max_pool2d(x=%a, kernel=[2, 2], stride=[2, 2], padding=[0, 0], dilation=[1, 1], ceil_mode=false)
    %max_pool2d_1: f32[1, 8, 4, 4] = pt2::max_pool2d(x=%a, kernel=[3, 3], stride=[2, 2], padding=[1, 1], dilation=[1, 1], ceil_mode=true)
    %max_pool2d_2: f32[1, 8, 3, 3] = pt2::max_pool2d(x=%a, kernel=[2, 2], stride=[2, 2], padding=[0, 0], dilation=[1, 1], ceil_mode=false)
    %global_average_pool: f32[1, 8, 1, 1] = pt2::global_average_pool(x=%a)
    %global_average_pool_1: f32[1, 8, 1, 1] = pt2::global_average_pool(x=%a)
    return %max_pool2d, %max_pool2d_1, %max_pool2d_2, %global_average_pool, %global_average_pool_1"
  `);
});

it("takes the largest elements of rows and of planes as those of windows", () => {
  const before = program(`user_input %x: f32[s0, 8, 6, 5]
    %a: f32[s0, 8, 6, 5] = pt2::depthwise_conv2d(x=%x)
    %b: f32[s0, 8, 6] = aten::amax(%a, dim=[-1])
    %c: f32[s0, 8, 1, 1] = aten::amax(%a, dim=[3, 2], keepdim=true)
    %d: f32[s0, 6, 5] = aten::amax(%a, dim=[1])
    %e: f32[s0, 8, 6] = aten::amax(%x, dim=[-1])
    return %b, %c, %d, %e`);
  expect(text(lowerPooling(before, own))).toMatchInlineSnapshot(`
    "user_input %x: f32[s0, 8, 6, 5]
    %a: f32[s0, 8, 6, 5] = pt2::depthwise_conv2d(x=%x)
    %max_pool2d: f32[s0, 8, 6, 1] = pt2::max_pool2d(x=%a, kernel=[1, 5], stride=[1, 5], padding=[0, 0], dilation=[1, 1], ceil_mode=false)
    %squeeze: f32[s0, 8, 6] = aten::squeeze.dims(%max_pool2d, dim=[3])
    %max_pool2d_1: f32[s0, 8, 1, 1] = pt2::max_pool2d(x=%a, kernel=[6, 5], stride=[6, 5], padding=[0, 0], dilation=[1, 1], ceil_mode=false)
    %d: f32[s0, 6, 5] = aten::amax(%a, dim=[1])
    %e: f32[s0, 8, 6] = aten::amax(%x, dim=[-1])
    return %squeeze, %max_pool2d_1, %d, %e"
  `);
  const unknown = program(`user_input %x: f32[1, 8, 6, s0]
    %a: f32[1, 8, 6, s0] = pt2::depthwise_conv2d(x=%x)
    %b: f32[1, 8, 6] = aten::amax(%a, dim=[-1])
    return %b`);
  expect(lowerPooling(unknown, own)).toBe(unknown);
});

it("pools what was copied from rows of pixels", () => {
  const before = program(`user_input %x: f32[1, 6, 6, 8]
    %p: f32[1, 8, 6, 6]{strides=[288, 1, 48, 8]} = aten::permute(%x, dims=[0, 3, 1, 2])
    %c: f32[1, 8, 6, 6] = aten::contiguous(%p)
    %y: f32[1, 8, 3, 3] = aten::max_pool2d(%c, kernel_size=[2, 2])
    return %y`);
  expect(text(lowerPooling(before, own))).toContain("pt2::max_pool2d(x=%c");
});

it("pools videos", () => {
  const before = program(`user_input %x: f32[1, 8, 6, 6, 6]
    %a: f32[1, 8, 6, 6, 6] = pt2::direct_conv3d(x=%x)
    %b: f32[1, 8, 3, 6, 6] = aten::max_pool3d(%a, kernel_size=[2, 3, 3], stride=[2, 1, 1], padding=[0, 1, 1])
    with: %c: f32[1, 8, 3, 3, 3], %unused: i64[1, 8, 3, 3, 3] = aten::max_pool3d_with_indices(%a, kernel_size=2, ceil_mode=true)
    %d: f32[1, 8, 3, 3, 3] = aten::max_pool3d(%x, kernel_size=[2, 2, 2])
    return %b, %c, %d`);
  expect(text(lowerPooling(before, own))).toMatchInlineSnapshot(`
    "user_input %x: f32[1, 8, 6, 6, 6]
    %a: f32[1, 8, 6, 6, 6] = pt2::direct_conv3d(x=%x)
    %max_pool3d: f32[1, 8, 3, 6, 6] = pt2::max_pool3d(x=%a, kernel=[2, 3, 3], stride=[2, 1, 1], padding=[0, 1, 1], dilation=[1, 1, 1], ceil_mode=false)
    %max_pool3d_1: f32[1, 8, 3, 3, 3] = pt2::max_pool3d(x=%a, kernel=[2, 2, 2], stride=[2, 2, 2], padding=[0, 0, 0], dilation=[1, 1, 1], ceil_mode=true)
    %d: f32[1, 8, 3, 3, 3] = aten::max_pool3d(%x, kernel_size=[2, 2, 2])
    return %max_pool3d, %max_pool3d_1, %d"
  `);
});

it("pools what elementwise ops made of it", () => {
  const before = program(`${SOURCE}
    %g: f32[1, 8, 1, 1] = aten::sigmoid(%x)
    %b: f32[1, 8, 6, 6] = aten::mul.Tensor(%a, other=%g)
    %c: f32[1, 8, 6, 6] = aten::relu(%b)
    %d: f32[1, 8, 3, 3] = aten::max_pool2d(%c, kernel_size=[2, 2])
    %e: f32[1, 8, 6, 6] = aten::mul.Tensor(%g, other=%a)
    %f: f32[1, 8, 3, 3] = aten::max_pool2d(%e, kernel_size=[2, 2])
    return %d, %f`);
  const after = text(lowerPooling(before, own));
  expect(after).toContain("pt2::max_pool2d(x=%c");
  expect(after).toContain("aten::max_pool2d(%e");
});

it("takes means over windows", () => {
  const before = program(`${SOURCE}
    %b: f32[1, 8, 3, 3] = aten::avg_pool2d(%a, kernel_size=[2, 2])
    %c: f32[1, 8, 4, 4] = aten::avg_pool2d(%a, kernel_size=[3, 3], stride=[2, 2], padding=[1, 1], ceil_mode=true, count_include_pad=false, divisor_override=5)
    %d: f32[1, 8, 3, 3] = aten::avg_pool2d(%x, kernel_size=[2, 2])
    return %b, %c, %d`);
  expect(text(lowerPooling(before, own))).toMatchInlineSnapshot(`
    "user_input %x: f32[1, 8, 6, 6]
    %a: f32[1, 8, 6, 6] = pt2::depthwise_conv2d(x=%x)
    %avg_pool2d: f32[1, 8, 3, 3] = pt2::avg_pool2d(x=%a, kernel=[2, 2], stride=[2, 2], padding=[0, 0], ceil_mode=false, count_include_pad=true, divisor_override=none)
    %avg_pool2d_1: f32[1, 8, 4, 4] = pt2::avg_pool2d(x=%a, kernel=[3, 3], stride=[2, 2], padding=[1, 1], ceil_mode=true, count_include_pad=false, divisor_override=5)
    %d: f32[1, 8, 3, 3] = aten::avg_pool2d(%x, kernel_size=[2, 2])
    return %avg_pool2d, %avg_pool2d_1, %d"
  `);
});

it("moves windows by their own size unless it is told otherwise, along each side", () => {
  const before = program(`${SOURCE}
    %b: f32[1, 8, 3, 2] = aten::max_pool2d(%a, kernel_size=[2, 3])
    %c: f32[1, 8, 2, 3] = aten::avg_pool2d(%a, kernel_size=[3, 2], stride=[])
    return %b, %c`);
  const after = text(lowerPooling(before, own));
  expect(after).toContain("pt2::max_pool2d(x=%a, kernel=[2, 3], stride=[2, 3]");
  expect(after).toContain("pt2::avg_pool2d(x=%a, kernel=[3, 2], stride=[3, 2]");
});

it("pools what was put together, and channels that were taken out", () => {
  const before = program(`${SOURCE}
    %b: f32[1, 16, 6, 6] = pt2::cat(tensors=[%a, %a], dim=1)
    [%c: f32[1, 8, 6, 6], %d: f32[1, 8, 6, 6]] = aten::split.Tensor(%b, split_size=8, dim=1)
    %e: f32[1, 16, 3, 3] = aten::max_pool2d(%b, kernel_size=[2, 2])
    %f: f32[1, 8, 3, 3] = aten::avg_pool2d(%d, kernel_size=[2, 2])
    return %e, %f`);
  const after = text(lowerPooling(before, own));
  expect(after).toContain("pt2::max_pool2d(x=%b");
  expect(after).toContain("pt2::avg_pool2d(x=%d");
});

it("takes Euclidean norms of planes for roots of means of squares, but no other norms", () => {
  const normed = (rest: string, shape = "1, 8, 1, 1"): string =>
    text(
      lowerPooling(
        program(`${SOURCE}
          %n: f32[${shape}] = aten::linalg_vector_norm(%a${rest})
          return %n`),
        own,
      ),
    );
  expect(normed(", dim=[2, -1], keepdim=true")).toMatchInlineSnapshot(`
    "user_input %x: f32[1, 8, 6, 6]
    %a: f32[1, 8, 6, 6] = pt2::depthwise_conv2d(x=%x)
    %mul: f32[1, 8, 6, 6] = aten::mul.Tensor(%a, other=%a)
    %global_average_pool: f32[1, 8, 1, 1] = pt2::global_average_pool(x=%mul)
    %mul_1: f32[1, 8, 1, 1] = aten::mul.Scalar(%global_average_pool, other=36.0)
    %sqrt: f32[1, 8, 1, 1] = aten::sqrt(%mul_1)
    return %sqrt"
  `);
  expect(normed(", ord=2.0, dim=[2, 3], keepdim=true")).toContain("pt2::global_average_pool");
  for (const [rest, shape] of [
    [", ord=1, dim=[2, 3], keepdim=true"],
    [", ord=2, dim=[2, 3]", "1, 8"],
    [", ord=2, dim=[1, 2], keepdim=true", "1, 1, 1, 6"],
    ["", ""],
  ]) {
    expect(normed(rest!, shape)).not.toContain("pt2::global_average_pool");
  }
});

it("keeps the rest", () => {
  const before = program(`${SOURCE}
    %b: f32[1, 8, 3, 3] = aten::max_pool2d(%x, kernel_size=[2, 2])
    %c: f32[1, 8, 2, 2] = aten::adaptive_avg_pool2d(%a, output_size=[2, 2])
    %d: f32[1, 8] = aten::mean.dim(%a, dim=[2, 3])
    %e: f32[1, 1, 1, 6] = aten::mean.dim(%a, dim=[1, 2], keepdim=true)
    with: %f: f32[1, 8, 3, 3], %g: i64[1, 8, 3, 3] = aten::max_pool2d_with_indices(%a, kernel_size=[2, 2])
    return %b, %c, %d, %e, %f, %g`);
  expect(lowerPooling(before, own)).toBe(before);
  const plain = program(`${SOURCE}\n  %b: f32[1, 8, 3, 3] = aten::max_pool2d(%a, kernel_size=[2, 2])\n  return %b`);
  expect(lowerPooling(plain, cpu())).toBe(plain);
});

it("pools sequences as images of one row", () => {
  const before = program(`user_input %x: f32[1, 8, 12]
    %a: f32[1, 8, 12] = pt2::depthwise_conv2d(x=%x)
    %b: f32[1, 8, 6] = aten::max_pool1d(%a, kernel_size=[2])
    %c: f32[1, 8, 6] = aten::max_pool1d(%a, kernel_size=[3], stride=[2], padding=[1])
    %d: f32[1, 8, 1] = aten::adaptive_avg_pool1d(%a, output_size=[1])
    %e: f32[1, 8, 3] = aten::adaptive_avg_pool1d(%a, output_size=[3])
    return %b, %c, %d, %e`);
  expect(text(lowerPooling(before, own))).toMatchInlineSnapshot(`
    "user_input %x: f32[1, 8, 12]
    %a: f32[1, 8, 12] = pt2::depthwise_conv2d(x=%x)
    %max_pool2d: f32[1, 8, 6] = pt2::max_pool2d(x=%a, kernel=[1, 2], stride=[1, 2], padding=[0, 0], dilation=[1, 1], ceil_mode=false)
    %max_pool2d_1: f32[1, 8, 6] = pt2::max_pool2d(x=%a, kernel=[1, 3], stride=[1, 2], padding=[0, 1], dilation=[1, 1], ceil_mode=false)
    %global_average_pool: f32[1, 8, 1] = pt2::global_average_pool(x=%a)
    %e: f32[1, 8, 3] = aten::adaptive_avg_pool1d(%a, output_size=[3])
    return %max_pool2d, %max_pool2d_1, %global_average_pool, %e"
  `);
});
