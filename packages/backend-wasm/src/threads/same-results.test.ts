import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { libraries } from "@pt2/registry/aten";
import { randomFloats, randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { WasmBackend } from "../backend.ts";
import { divided } from "./divided.test-helper.ts";

const registry = registryOf([], libraries);

function random(seed: number, shape: readonly number[]): HostTensor {
  const length = shape.reduce((product, size) => product * size, 1);
  return hostTensor("float32", shape, randomFloats(randomUnit(seed), length));
}

async function compute(
  body: string,
  input: HostTensor,
  weights: Readonly<Record<string, HostTensor>>,
  threads: number,
) {
  await using backend = new WasmBackend(divided(threads));
  const executable = await backend.compile({ program: programOf(body), weights: weightsOf(weights), registry });
  return (await executable.run([input])) as readonly HostTensor[];
}

const attention = (x: string, causal: boolean): string => `
  user_input %x: ${x}
  %y: ${x} = aten::scaled_dot_product_attention(query=%x, key=%x, value=%x, attn_mask=none, dropout_p=0.0, is_causal=${causal})
  return %y`;

test.each<{
  what: string;
  input: readonly number[];
  body: string;
  weights?: Readonly<Record<string, readonly number[]>>;
}>([
  { what: "three heads of attention", input: [1, 3, 197, 16], body: attention("f32[1, 3, 197, 16]", false) },
  { what: "one causal head of attention", input: [1, 1, 211, 8], body: attention("f32[1, 1, 211, 8]", true) },
  {
    what: "a group norm of small groups",
    input: [3, 10, 7, 5],
    body: `
      user_input %x: f32[3, 10, 7, 5]
      %y: f32[3, 10, 7, 5], %m: f32[3, 5], %r: f32[3, 5] = aten::native_group_norm(input=%x, weight=none, bias=none, N=3, C=10, HxW=35, group=5, eps=1.0e-5)
      return %y, %m, %r`,
  },
  {
    what: "a group norm of large groups",
    input: [2, 6, 127, 101],
    body: `
      parameter "w" = %w: f32[6]
      user_input %x: f32[2, 6, 127, 101]
      %y: f32[2, 6, 127, 101], %m: f32[2, 2], %r: f32[2, 2] = aten::native_group_norm(input=%x, weight=%w, bias=%w, N=2, C=6, HxW=12827, group=2, eps=1.0e-5)
      return %y, %m, %r`,
    weights: { w: [6] },
  },
  {
    what: "reductions of the rows of few blocks",
    input: [2, 301, 45],
    body: `
      user_input %x: f32[2, 301, 45]
      %a: f32[2, 45] = aten::mean.dim(self=%x, dim=[1])
      %b: f32[2, 45] = aten::amax(self=%x, dim=[1])
      %c: f32[2, 45] = aten::amin(self=%x, dim=[1])
      return %a, %b, %c`,
  },
  {
    what: "global pooling",
    input: [2, 37, 13, 11],
    body: `
      user_input %x: f32[2, 37, 13, 11]
      %y: f32[2, 37, 1, 1] = aten::adaptive_avg_pool2d(self=%x, output_size=[1, 1])
      return %y`,
  },
  {
    what: "three products of a batch",
    input: [3, 241, 130],
    body: `
      user_input %x: f32[3, 241, 130]
      %t: f32[3, 130, 241] = aten::transpose.int(self=%x, dim0=1, dim1=2)
      %y: f32[3, 241, 241] = aten::bmm(self=%x, mat2=%t)
      return %y`,
  },
  {
    what: "products of float64, one with more columns than rows",
    input: [67, 130],
    body: `
      user_input %x: f32[67, 130]
      %d: f64[67, 130] = aten::to.dtype(self=%x, dtype=torch.float64)
      %t: f64[130, 67] = aten::t(self=%d)
      %y: f64[130, 130] = aten::mm(self=%t, mat2=%d)
      %z: f64[67, 130] = aten::mm(self=%d, mat2=%y)
      return %y, %z`,
  },
  {
    what: "three products of int64 of a batch",
    input: [3, 41, 130],
    body: `
      user_input %x: f32[3, 41, 130]
      %m: f32[3, 41, 130] = aten::mul.Scalar(self=%x, other=1000)
      %i: i64[3, 41, 130] = aten::to.dtype(self=%m, dtype=torch.int64)
      %t: i64[3, 130, 41] = aten::transpose.int(self=%i, dim0=1, dim1=2)
      %y: i64[3, 41, 41] = aten::bmm(self=%i, mat2=%t)
      return %y`,
  },
  {
    what: "products of int8 with an odd number of steps",
    input: [301, 131],
    body: `
      user_input %x: f32[301, 131]
      %m: f32[301, 131] = aten::mul.Scalar(self=%x, other=127)
      %i: i8[301, 131] = aten::to.dtype(self=%m, dtype=torch.int8)
      %t: i8[131, 301] = aten::t(self=%i)
      %y: i32[301, 301] = aten::_int_mm(self=%i, mat2=%t)
      return %y`,
  },
  {
    what: "products of complex matrices, one and three",
    input: [3, 41, 66],
    body: `
      user_input %x: f32[3, 41, 66]
      %p: f32[3, 41, 33, 2] = aten::reshape(self=%x, shape=[3, 41, 33, 2])
      %c: c64[3, 41, 33] = aten::view_as_complex(self=%p)
      %t: c64[3, 33, 41] = aten::transpose.int(self=%c, dim0=1, dim1=2)
      %y: c64[3, 41, 41] = aten::bmm(self=%c, mat2=%t)
      %m: c64[123, 33] = aten::reshape(self=%c, shape=[123, 33])
      %n: c64[33, 123] = aten::t(self=%m)
      %z: c64[123, 123] = aten::mm(self=%m, mat2=%n)
      %a: f32[3, 41, 41, 2] = aten::view_as_real(self=%y)
      %b: f32[123, 123, 2] = aten::view_as_real(self=%z)
      return %a, %b`,
  },
  {
    what: "linear layers on weights in int8",
    input: [130, 131],
    body: `
      parameter "w" = %w: f32[301, 131]
      parameter "b" = %b: f32[301]
      user_input %x: f32[130, 131]
      %m: f32[301, 131] = aten::mul.Scalar(self=%w, other=127)
      %q: i8[301, 131] = aten::to.dtype(self=%m, dtype=torch.int8)
      %f: f32[301, 131] = aten::to.dtype(self=%q, dtype=torch.float32)
      %r: f32[1, 131] = aten::slice.Tensor(self=%x, dim=0, start=0, end=1)
      %y: f32[130, 301] = aten::linear(input=%x, weight=%f, bias=%b)
      %z: f32[1, 301] = aten::linear(input=%r, weight=%f)
      return %y, %z`,
    weights: { w: [301, 131], b: [301] },
  },
  {
    what: "a picture of another size",
    input: [2, 5, 13, 11],
    body: `
      user_input %x: f32[2, 5, 13, 11]
      %y: f32[2, 5, 29, 17] = aten::upsample_bilinear2d(self=%x, output_size=[29, 17], align_corners=false)
      return %y`,
  },
  {
    what: "a transposed convolution of one dimension",
    input: [2, 130, 41],
    body: `
      parameter "w" = %w: f32[130, 7, 16]
      user_input %x: f32[2, 130, 41]
      %y: f32[2, 7, 328] = aten::conv_transpose1d(input=%x, weight=%w, bias=none, stride=[8], padding=[4])
      return %y`,
    weights: { w: [130, 7, 16] },
  },
  {
    what: "a transposed convolution of three images, which parts divide in the middle",
    input: [3, 6, 13, 11],
    body: `
      parameter "w" = %w: f32[6, 5, 4, 3]
      user_input %x: f32[3, 6, 13, 11]
      %y: f32[3, 5, 28, 25] = aten::conv_transpose2d.input(input=%x, weight=%w, bias=none, stride=[2, 2], dilation=[1, 2])
      return %y`,
    weights: { w: [6, 5, 4, 3] },
  },
])("$what have the same bytes for any number of threads", async ({ input, body, weights = {} }) => {
  const x = random(1, input);
  const constants = Object.fromEntries(Object.entries(weights).map(([name, shape], i) => [name, random(2 + i, shape)]));
  const expected = await compute(body, x, constants, 1);
  expect(expected.some(({ bytes }) => bytes.some((byte) => byte !== 0))).toBe(true);
  for (const threads of [2, 3, 5, 8]) {
    const results = await compute(body, x, constants, threads);
    for (const [i, { bytes }] of results.entries()) {
      expect(Buffer.from(bytes).equals(Buffer.from(expected[i]!.bytes)), `result ${i}, ${threads} threads`).toBe(true);
    }
  }
});
