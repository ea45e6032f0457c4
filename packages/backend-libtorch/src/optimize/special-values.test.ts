import { type HostTensor, hostTensor } from "@pt2/backend";
import { type DType, floatToBits, numel } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "../backend.ts";
import { describeWithLibtorch } from "../libtorch.test-helper.ts";
import { compileBody } from "../programs.test-helper.ts";

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
/** What is added to channels behind a product: it comes to the activation as it is. */
const SPECIAL = [nan, inf, -inf, 1e37, -1e37, 0, -0, 1e-40, 89, -89, 105, -105, 5.5, -3, 3, 0.1];

const ACTIVATIONS = [
  "aten::relu(%y)",
  "aten::relu6(%y)",
  "aten::hardtanh(%y, min_val=-2.0, max_val=1.5)",
  "aten::clamp(%y, min=0.0, max=1.0)",
  "aten::clamp(%y, min=0.0)",
  "aten::leaky_relu(%y, negative_slope=0.2)",
  "aten::sigmoid(%y)",
  "aten::tanh(%y)",
  "aten::silu(%y)",
  "aten::hardswish(%y)",
  "aten::hardsigmoid(%y)",
  "aten::gelu(%y)",
  'aten::gelu(%y, approximate="tanh")',
  "aten::elu(%y)",
  "aten::mish(%y)",
  "aten::softplus(%y)",
];

interface Product {
  readonly x: readonly number[];
  readonly weight: readonly number[];
  readonly y: readonly number[];
  readonly call: string;
}

const conv = (args: string): string =>
  `aten::conv2d(input=%x, weight=%w, bias=%b${args.length === 0 ? "" : `, ${args}`})`;

/** Products and convolutions that the fast mode computes by different kernels. */
const PRODUCTS: Readonly<Record<string, Product>> = {
  linear: { x: [70, 64], weight: [64, 64], y: [70, 64], call: "aten::linear(input=%x, weight=%w, bias=%b)" },
  "1x1": { x: [1, 32, 12, 12], weight: [64, 32, 1, 1], y: [1, 64, 12, 12], call: conv("") },
  "3x3": { x: [1, 32, 12, 12], weight: [64, 32, 3, 3], y: [1, 64, 12, 12], call: conv("padding=[1, 1]") },
  "3x3, stride 2": { x: [1, 16, 8, 8], weight: [64, 16, 3, 3], y: [1, 64, 3, 3], call: conv("stride=[2, 2]") },
  depthwise: { x: [1, 64, 9, 9], weight: [64, 1, 3, 3], y: [1, 64, 7, 7], call: conv("groups=64") },
  grouped: { x: [1, 32, 9, 9], weight: [64, 16, 3, 3], y: [1, 64, 7, 7], call: conv("groups=2") },
};

describeWithLibtorch("NaN and infinities pass through fused activations as through PyTorch's own", ({ addon }) => {
  const backend = new LibtorchBackend(addon);

  describe.each(["float32", "bfloat16"] as const)("%s", (dtype) => {
    describe.each(Object.entries(PRODUCTS))("%s", (_, { x, weight, y, call }) => {
      const type = (shape: readonly number[]): string => `${dtype === "float32" ? "f32" : "bf16"}[${shape.join(", ")}]`;
      const product = `
        parameter "w" = %w: ${type(weight)}
        parameter "b" = %b: ${type([weight[0]!])}
        user_input %x: ${type(x)}
        user_input %r: ${type(y)}
        %p: ${type(y)} = ${call}`;
      const bodies = {
        "": `${product.replace("%p:", "%y:")}`,
        ", of a sum": `${product}\n%y: ${type(y)} = aten::add.Tensor(%p, other=%r)`,
      };
      it.each(ACTIVATIONS)("%s", async (activation) => {
        const [given, residual] = [small(dtype, x), small(dtype, y)];
        const bias = tensorOf(dtype, [weight[0]!], (i) => SPECIAL[i % SPECIAL.length]!);
        for (const [what, body] of Object.entries(bodies)) {
          const text = `${body}\n%z: ${type(y)} = ${activation.replace("(%y", "(self=%y")}\nreturn %z`;
          const run = async (precision: "exact" | "fast"): Promise<readonly string[]> => {
            const weights = { w: small(dtype, weight), b: bias };
            const executable = await compileBody(backend, text, weights, { precision });
            const [result] = await executable.run([given, residual]);
            await executable.dispose();
            return kindsOf(dtype, await (result as HostTensor).read());
          };
          const [fast, exact] = [await run("fast"), await run("exact")];
          const wrong = fast.flatMap((kind, i) => {
            const channel = y.length === 2 ? i % y[1]! : Math.floor(i / (y[2]! * y[3]!)) % y[1]!;
            // PyTorch's own gelu of infinity is NaN in one memory format, and infinity in another.
            const isOpen = activation === "aten::gelu(%y)" && SPECIAL[channel % SPECIAL.length] === inf;
            return kind === exact[i] || isOpen
              ? []
              : [`${activation}${what} of ${SPECIAL[channel % SPECIAL.length]}: ${kind}, not ${exact[i]}`];
          });
          expect([...new Set(wrong)]).toEqual([]);
        }
      });
    });
  });
});

/** Whether elements are NaN, infinite, or numbers. */
function kindsOf(dtype: DType, data: ArrayLike<number | bigint>): readonly string[] {
  return Array.from(data, (element) => {
    const bits =
      dtype === "bfloat16" ? new Float32Array(Uint32Array.of(Number(element) << 16).buffer)[0]! : Number(element);
    return Number.isFinite(bits) ? "a number" : String(bits);
  });
}

function small(dtype: "float32" | "bfloat16", shape: readonly number[]): HostTensor {
  return tensorOf(dtype, shape, (i) => ((i * 37) % 19) / 190 - 0.05);
}

function tensorOf(dtype: "float32" | "bfloat16", shape: readonly number[], element: (i: number) => number): HostTensor {
  const numbers = Array.from({ length: numel(shape) }, (_, i) => element(i));
  if (dtype === "float32") return hostTensor(dtype, shape, Float32Array.from(numbers));
  return hostTensor(
    dtype,
    shape,
    Uint16Array.from(numbers, (x) => floatToBits(dtype, x)),
  );
}
