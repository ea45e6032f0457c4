import { HostTensor, hostTensor, type Value } from "@pt2/backend";
import { parse } from "@pt2/graph";
import { createRegistry, defineOp, type OpRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect, test } from "vitest";
import { WasmBackend } from "../backend.ts";

const ATEN = createRegistry({ sets: [aten] });
const backend = new WasmBackend();
const x = hostTensor("float32", [4], Float32Array.of(1, 2, 3, 4));

async function run(
  body: string,
  inputs: readonly Value[] = [x],
  registry: OpRegistry = ATEN,
): Promise<readonly Value[]> {
  const program = parse(`program { user_input %x: f32[4] ${body} }`);
  const executable = await backend.compile({ program, weights: new Map(), registry });
  return executable.run(inputs);
}

test.each([
  ["a tensor of 4 TB", "%y: f32[1] = aten::full(size=[1000000, 1000000], fill_value=1.0)", "registry.limit"],
  ["a range of 10^12", "%y: i64[1] = aten::arange(end=1000000000000)", "registry.limit"],
  ["an expansion to 10^12", "%y: f32[1] = aten::expand(%x, size=[250000000000, 4])", "registry.limit"],
  ["a repetition of 10^12", "%y: f32[1] = aten::repeat(%x, repeats=[1000000000000])", "registry.limit"],
  ["padding of 10^12", "%y: f32[1] = aten::constant_pad_nd(%x, pad=[0, 1000000000000])", "registry.limit"],
  ["strides beyond the tensor", "%y: f32[1] = aten::as_strided(%x, size=[4], stride=[65536])", "registry.argument"],
  [
    "an offset beyond the tensor",
    "%y: f32[1] = aten::as_strided(%x, size=[1], stride=[1], storage_offset=9)",
    "registry.argument",
  ],
  ["a selection beyond the tensor", "%y: f32[1] = aten::select.int(%x, dim=0, index=4)", "registry.argument"],
])("%s is refused with the op, and the backend stays usable", async (_, node, code) => {
  await expect(run(`${node} return %y`)).rejects.toMatchObject({ code, where: expect.stringContaining("aten::") });
  const [sum] = await run("%y: f32[4] = aten::add.Tensor(%x, other=%x) return %y");
  expect((sum as { data: Float32Array }).data).toEqual(Float32Array.of(2, 4, 6, 8));
});

test("a view rule that is wrong where a tensor does not begin at its buffer's start is refused", async () => {
  const rule = defineOp("wrong::twice_as_far(Tensor(a) self) -> Tensor(a)", {
    view: ({ shape, strides, offset }) => ({ shape, strides, offset: 2 * offset }),
  });
  const sets = [aten, { name: "wrong", ops: [rule] }];
  const body = `
    %tail: f32[1] = aten::slice.Tensor(%x, dim=0, start=3, end=4)
    %wrong: f32[1] = wrong::twice_as_far(%tail)
    %y: f32[1] = aten::exp(%wrong)
    return %y`;
  await expect(run(body, [x], createRegistry({ sets }))).rejects.toMatchObject({
    code: "backend.view-bounds",
    where: expect.stringContaining("wrong::twice_as_far"),
  });
});

test("inputs with a wrong length write nothing outside of their memory", async () => {
  const liar = new HostTensor("float32", [2], x.bytes);
  const body = "%y: f32[4] = aten::add.Tensor(%x, other=%x) return %y";
  await expect(run(body, [liar])).rejects.toMatchObject({ code: "backend.input" });
  await expect(run(body, [])).rejects.toMatchObject({ code: "backend.input" });
});

const complex = hostTensor("complex64", [1, 4, 4], new Float32Array(32));
const half = hostTensor("float16", [2], Uint16Array.of(0x3c00, 0x4000));
const ints = (...values: readonly number[]) => hostTensor("int64", [], BigInt64Array.from(values, BigInt));

test.each<readonly [string, string, readonly Value[], string]>([
  ["chunks of no tensors", "%y: f32[1] = aten::_chunk_cat(tensors=[], dim=0, num_chunks=2)", [], "registry.argument"],
  [
    "chunks without a number",
    "%y: f32[1] = aten::_chunk_cat(tensors=[%x], dim=0, num_chunks=0)",
    [],
    "registry.argument",
  ],
  ["a histogram of complex numbers", "%y: f32[1] = aten::histc(%v, bins=4)", [complex], "registry.argument"],
  [
    "the gradient of a pooling of complex numbers",
    "%y: f32[1] = aten::avg_pool2d_backward(grad_output=%v, self=%v, kernel_size=[1, 1], stride=[], padding=[0, 0], ceil_mode=false, count_include_pad=true, divisor_override=none)",
    [complex],
    "registry.argument",
  ],
  [
    "the gradient of a pooling with other results",
    "%y: f32[1] = aten::avg_pool2d_backward(grad_output=%v, self=%v, kernel_size=[2, 2], stride=[1, 1], padding=[0, 0], ceil_mode=false, count_include_pad=true, divisor_override=none)",
    [hostTensor("float32", [1, 4, 4], new Float32Array(16))],
    "registry.argument",
  ],
  [
    "a split at float16 positions",
    "s: [%y: f32[2], %z: f32[2]] = aten::tensor_split.tensor_indices_or_sections(%x, tensor_indices_or_sections=%v)",
    [half],
    "registry.argument",
  ],
  [
    "polynomials of degree 2^40",
    "%y: f32[4] = aten::special_chebyshev_polynomial_t.n_scalar(x=%x, n=1099511627776)",
    [],
    "backend.limit",
  ],
  [
    "a split into 2^40 parts",
    "s: [%y: f32[2], %z: f32[2]] = aten::tensor_split.tensor_indices_or_sections(%x, tensor_indices_or_sections=%v)",
    [ints(2 ** 40)],
    "backend.data",
  ],
])("%s are refused", async (_, node, more, code) => {
  const input = more.length > 0 ? "user_input %v" : "";
  await expect(run(`${input} ${node} return %y`, [x, ...more])).rejects.toMatchObject({ code });
});
