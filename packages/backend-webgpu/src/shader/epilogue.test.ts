import { contiguousStrides } from "@pt2/format";
import { scalar as s, type TypedExpr, typeExpr } from "@pt2/registry/scalar";
import { expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { adapterOf } from "../engine/adapter.ts";
import type { TensorView } from "../engine/tensor-view.ts";
import { runDispatch } from "../wgsl/elementwise.test-helper.ts";
import type { Dispatch } from "./dispatch.ts";
import { Shader, type ShaderHost } from "./shader.ts";

const SHAPE = [2, 6, 8];
const COUNT = 96;

/**
 * Makes a view of a float32 tensor with a buffer of its own; these tests look at texts and make the buffers themselves.
 */
function view(shape: readonly number[], strides = contiguousStrides(shape)): TensorView {
  const buffer = {
    bytes: 4 * COUNT,
    constant: null,
    get handle(): GPUBuffer {
      throw new Error("there is no buffer");
    },
  };
  return { dtype: "float32", shape, strides, offset: 0, buffer };
}

const rules = {
  compute: "float32",
  operands: ["float32", "float32", "float32", "float32"],
  result: "float32",
} as const;
// The kernel's value is the second operand; each of the others is read in another way.
const expr: TypedExpr = typeExpr(
  s.add(s.mul(s.input(0), s.input(1)), s.mul(s.input(2), s.add(s.input(1), s.input(3)))),
  rules,
);
const residual = Float32Array.from({ length: COUNT }, (_, i) => i - 40);
const bias = Float32Array.from({ length: 6 }, (_, i) => 3 * i - 7);
const transposed = Float32Array.from({ length: COUNT }, (_, i) => (i * 37) % 101);

await describeWithDevice("an epilogue", (device) => {
  test.each([true, false])(
    "an epilogue reads its operands at the element that is written (vectors: %s)",
    async (vector) => {
      const dispatches: Dispatch[] = [];
      const epilogue = {
        expr,
        inputs: [view(SHAPE), null, view([6, 1]), view(SHAPE, [1, 16, 2])],
      };
      const unused = (): never => {
        throw new Error("there is no guard");
      };
      const host: ShaderHost = {
        adapter: adapterOf(device),
        result: () => ({ view: view(SHAPE), dtype: "float32", epilogue }),
        guard: unused,
        add: (dispatch) => dispatches.push(dispatch),
      };
      const shader = new Shader("index", host);
      shader.result("out", 0, { vector });
      if (vector) shader.forEach(COUNT / 4, "let v = f32(4u * i); set_out4(i, vec4<f32>(v, v + 1f, v + 2f, v + 3f));");
      else shader.forEach(COUNT, "set_out(i, f32(i));");
      const [{ code, params, workgroups }] = dispatches as [Dispatch];
      const inputs = [residual, bias, transposed].map((values) => new Uint8Array(values.buffer));
      const words = new Uint32Array((params as Uint8Array<ArrayBuffer>).buffer);
      const output = await runDispatch(device, { code, params: words, workgroups }, inputs, 4 * COUNT);
      const expected = Float32Array.from({ length: COUNT }, (_, i) => {
        const [n, c, w] = [Math.floor(i / 48), Math.floor(i / 8) % 6, i % 8];
        return (residual[i] as number) * i + (bias[c] as number) * (i + (transposed[n + 16 * c + 2 * w] as number));
      });
      expect(new Float32Array(output.buffer)).toEqual(expected);
    },
  );
});
