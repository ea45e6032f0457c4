import { grad } from "@pt2/autograd";
import { hostTensor } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { parse } from "@pt2/graph";
import { load } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";

const inf = Number.POSITIVE_INFINITY;

/**
 * A function where its gradient takes care: at kinks, ties and poles, and where what comes back is infinite or NaN for
 * elements that it did not pass. `gradient` is what PyTorch 2.13 computes of the sum of `weights` times its value.
 */
interface Edge {
  readonly python: string;
  readonly x: readonly number[];
  /** The shape of x; a vector if left out. */
  readonly shape?: readonly number[];
  readonly weights: readonly number[];
  /** Computes `%y`, of the shape of the weights if there are several. */
  readonly body: string;
  readonly gradient: readonly number[];
}

const EDGES: readonly Edge[] = [
  {
    python: "x.clamp(0, 1)",
    x: [-1, 0, 0.5, 1, 2, NaN],
    weights: [inf, 1, inf, 1, NaN, inf],
    body: `%y: f32[6] = aten::clamp(self=%x, min=0, max=1)`,
    gradient: [0, 1, inf, 1, 0, 0],
  },
  {
    python: "x.clamp(min=0)",
    x: [-1, 0, 2],
    weights: [inf, inf, NaN],
    body: `%y: f32[3] = aten::clamp(self=%x, min=0)`,
    gradient: [0, inf, NaN],
  },
  {
    python: "torch.clamp_min(x, 0)",
    x: [-1, 0, 2],
    weights: [inf, inf, 1],
    body: `%y: f32[3] = aten::clamp_min(self=%x, min=0)`,
    gradient: [0, inf, 1],
  },
  {
    python: "torch.clamp_max(x, 1)",
    x: [0, 1, 2],
    weights: [inf, inf, inf],
    body: `%y: f32[3] = aten::clamp_max(self=%x, max=1)`,
    gradient: [inf, inf, 0],
  },
  {
    python: "torch.clamp_min(x, torch.ones(1))",
    x: [0, 1, 2],
    weights: [inf, 1, 1],
    body: `%o: f32[1] = aten::full(size=[1], fill_value=1, dtype=torch.float32)
      %y: f32[3] = aten::clamp_min.Tensor(self=%x, min=%o)`,
    gradient: [0, 1, 1],
  },
  {
    python: "torch.clamp_max(torch.ones(1), x)",
    x: [0, 1, 2],
    weights: [2, 1, inf],
    body: `%o: f32[1] = aten::full(size=[1], fill_value=1, dtype=torch.float32)
      %y: f32[3] = aten::clamp_max.Tensor(self=%o, max=%x)`,
    gradient: [2, 0, 0],
  },
  {
    python: "x.masked_fill(x <= 0, 3)",
    x: [-1, 0, 2],
    weights: [inf, NaN, 1],
    body: `%m: bool[3] = aten::le.Scalar(self=%x, other=0)
      %y: f32[3] = aten::masked_fill.Scalar(self=%x, mask=%m, value=3)`,
    gradient: [0, 0, 1],
  },
  {
    python: "x.masked_fill(x <= 0, x[2])",
    x: [-1, 0, 2],
    weights: [1, 2, inf],
    body: `%m: bool[3] = aten::le.Scalar(self=%x, other=0)
      %v: f32[] = aten::select.int(self=%x, dim=0, index=2)
      %y: f32[3] = aten::masked_fill.Tensor(self=%x, mask=%m, value=%v)`,
    gradient: [0, 0, inf],
  },
  {
    python: "torch.where(x > 0, x, 1)",
    x: [-1, 0, 2],
    weights: [inf, NaN, 1],
    body: `%m: bool[3] = aten::gt.Scalar(self=%x, other=0)
      %y: f32[3] = aten::where.ScalarOther(condition=%m, self=%x, other=1)`,
    gradient: [0, 0, 1],
  },
  {
    python: "torch.where(x > 0, 1, x)",
    x: [-1, 0, 2],
    weights: [1, NaN, inf],
    body: `%m: bool[3] = aten::gt.Scalar(self=%x, other=0)
      %y: f32[3] = aten::where.ScalarSelf(condition=%m, self=1, other=%x)`,
    gradient: [1, NaN, 0],
  },
  {
    python: "torch.where(x > 0, x.log(), x)",
    x: [-1, 0, 2],
    weights: [1, 1, 1],
    body: `%m: bool[3] = aten::gt.Scalar(self=%x, other=0)
      %l: f32[3] = aten::log(self=%x)
      %y: f32[3] = aten::where.self(condition=%m, self=%l, other=%x)`,
    gradient: [1, NaN, 0.5],
  },
  {
    python: "torch.maximum(x, torch.ones(1))",
    x: [0, 1, 2, NaN],
    weights: [inf, 1, inf, 1],
    body: `%o: f32[1] = aten::full(size=[1], fill_value=1, dtype=torch.float32)
      %y: f32[4] = aten::maximum(self=%x, other=%o)`,
    gradient: [0, 0.5, inf, 1],
  },
  {
    python: "torch.maximum(torch.ones(1), x)",
    x: [0, 1, 2, NaN],
    weights: [inf, 1, inf, 1],
    body: `%o: f32[1] = aten::full(size=[1], fill_value=1, dtype=torch.float32)
      %y: f32[4] = aten::maximum(self=%o, other=%x)`,
    gradient: [0, 0.5, inf, 1],
  },
  {
    python: "torch.minimum(x, torch.ones(1))",
    x: [0, 1, 2, NaN],
    weights: [inf, 1, inf, 1],
    body: `%o: f32[1] = aten::full(size=[1], fill_value=1, dtype=torch.float32)
      %y: f32[4] = aten::minimum(self=%x, other=%o)`,
    gradient: [inf, 0.5, 0, 1],
  },
  {
    python: "torch.minimum(torch.ones(1), x)",
    x: [0, 1, 2, NaN],
    weights: [inf, 1, inf, 1],
    body: `%o: f32[1] = aten::full(size=[1], fill_value=1, dtype=torch.float32)
      %y: f32[4] = aten::minimum(self=%o, other=%x)`,
    gradient: [inf, 0.5, 0, 1],
  },
  {
    python: "torch.fmax(x, torch.ones(1))",
    x: [0, 1, 2, NaN],
    weights: [inf, 1, inf, 1],
    body: `%o: f32[1] = aten::full(size=[1], fill_value=1, dtype=torch.float32)
      %y: f32[4] = aten::fmax(self=%x, other=%o)`,
    gradient: [0, 1, inf, 0],
  },
  {
    python: "torch.fmax(torch.ones(1), x)",
    x: [0, 1, 2, NaN],
    weights: [inf, 1, inf, 1],
    body: `%o: f32[1] = aten::full(size=[1], fill_value=1, dtype=torch.float32)
      %y: f32[4] = aten::fmax(self=%o, other=%x)`,
    gradient: [0, 0, inf, 0],
  },
  {
    python: "torch.fmin(x, torch.ones(1))",
    x: [0, 1, 2, NaN],
    weights: [inf, 1, inf, 1],
    body: `%o: f32[1] = aten::full(size=[1], fill_value=1, dtype=torch.float32)
      %y: f32[4] = aten::fmin(self=%x, other=%o)`,
    gradient: [inf, 1, 0, 0],
  },
  {
    python: "torch.fmin(torch.ones(1), x)",
    x: [0, 1, 2, NaN],
    weights: [inf, 1, inf, 1],
    body: `%o: f32[1] = aten::full(size=[1], fill_value=1, dtype=torch.float32)
      %y: f32[4] = aten::fmin(self=%o, other=%x)`,
    gradient: [inf, 0, 0, 0],
  },
  {
    python: "F.relu6(x)",
    x: [-1, 0, 3, 6, 7],
    weights: [inf, inf, inf, inf, NaN],
    body: `%y: f32[5] = aten::relu6(self=%x)`,
    gradient: [0, 0, inf, 0, 0],
  },
  {
    python: "F.threshold(x, 0.5, 3)",
    x: [0, 0.5, 1],
    weights: [inf, NaN, inf],
    body: `%y: f32[3] = aten::threshold(self=%x, threshold=0.5, value=3)`,
    gradient: [0, 0, inf],
  },
  {
    python: "F.softshrink(x)",
    x: [0, 0.5, 1],
    weights: [inf, NaN, inf],
    body: `%y: f32[3] = aten::softshrink(self=%x, lambd=0.5)`,
    gradient: [0, 0, inf],
  },
  {
    python: "x ** 0",
    x: [0, 1],
    weights: [inf, NaN],
    body: `%y: f32[2] = aten::pow.Tensor_Scalar(self=%x, exponent=0)`,
    gradient: [0, 0],
  },
  {
    python: "x.nan_to_num(0.0, 1.0, -1.0)",
    x: [NaN, inf, -inf, 2],
    weights: [1, 2, 3, 4],
    body: `%y: f32[4] = aten::nan_to_num(self=%x, nan=0.0, posinf=1.0, neginf=-1.0)`,
    gradient: [0, 0, 0, 4],
  },
  {
    python: "torch.special.entr(x)",
    x: [0, 1, 0.5],
    weights: [1, 2, 4],
    body: `%y: f32[3] = aten::special_entr(self=%x)`,
    gradient: [inf, -2, -1.2274112701416016],
  },
  {
    python: "torch.xlogy(x, 2.0)",
    x: [0, 1],
    weights: [1, 3],
    body: `%y: f32[2] = aten::xlogy.Scalar_Other(self=%x, other=2.0)`,
    gradient: [0.6931471824645996, 2.079441547393799],
  },
  {
    python: "torch.xlogy(x, 0.0)",
    x: [0, 0],
    weights: [1, inf],
    body: `%y: f32[2] = aten::xlogy.Scalar_Other(self=%x, other=0.0)`,
    gradient: [0, 0],
  },
  {
    python: "torch.xlogy(2.0, x)",
    x: [1, 4],
    weights: [1, 3],
    body: `%y: f32[2] = aten::xlogy.Scalar_Self(self=2.0, other=%x)`,
    gradient: [2, 1.5],
  },
  {
    python: "torch.special.xlog1py(x, x)",
    x: [0, 1, -0.5],
    weights: [1, 1, 1],
    body: `%y: f32[3] = aten::special_xlog1py(self=%x, other=%x)`,
    gradient: [0, 1.1931471824645996, -1.6931471824645996],
  },
  {
    python: "F.logsigmoid(x)",
    x: [0, 0, 2, -90],
    weights: [1, 2, 1, 1],
    body: `%y: f32[4] = aten::log_sigmoid(self=%x)`,
    gradient: [0.5, 1, 0.11920291930437088, 1],
  },
  {
    python: "F.binary_cross_entropy(x, torch.zeros(3))",
    x: [0, 1, 0.25],
    weights: [3],
    body: `%t: f32[3] = aten::full(size=[3], fill_value=0, dtype=torch.float32)
      %y: f32[] = aten::binary_cross_entropy(self=%x, target=%t)`,
    gradient: [0, 999999995904, 1.3333333730697632],
  },
  {
    python: "F.binary_cross_entropy(x, torch.ones(3), torch.full((3,), 2.0), reduction='sum')",
    x: [0, 1, 0.25],
    weights: [3],
    body: `%t: f32[3] = aten::full(size=[3], fill_value=1, dtype=torch.float32)
      %v: f32[3] = aten::full(size=[3], fill_value=2, dtype=torch.float32)
      %y: f32[] = aten::binary_cross_entropy(self=%x, target=%t, weight=%v, reduction=2)`,
    gradient: [-6000000106496, 0, -24],
  },
  {
    python: "F.binary_cross_entropy(torch.full((3,), 0.25), x, reduction='none')",
    x: [0, 1, 0.5],
    weights: [1, 2, 3],
    body: `%p: f32[3] = aten::full(size=[3], fill_value=0.25, dtype=torch.float32)
      %y: f32[3] = aten::binary_cross_entropy(self=%p, target=%x, reduction=0)`,
    gradient: [1.0986123085021973, 2.1972246170043945, 3.295836925506592],
  },
  {
    python: "F.binary_cross_entropy_with_logits(x, torch.zeros(3))",
    x: [0, -30, 30],
    weights: [3],
    body: `%t: f32[3] = aten::full(size=[3], fill_value=0, dtype=torch.float32)
      %y: f32[] = aten::binary_cross_entropy_with_logits(self=%x, target=%t)`,
    gradient: [0.5, 9.357623589846195e-14, 1],
  },
  {
    python:
      "F.binary_cross_entropy_with_logits(x, torch.ones(3), torch.full((3,), 2.0), pos_weight=torch.full((3,), 3.0), reduction='sum')",
    x: [0, -2, 2],
    weights: [1],
    body: `%t: f32[3] = aten::full(size=[3], fill_value=1, dtype=torch.float32)
      %v: f32[3] = aten::full(size=[3], fill_value=2, dtype=torch.float32)
      %p: f32[3] = aten::full(size=[3], fill_value=3, dtype=torch.float32)
      %y: f32[] = aten::binary_cross_entropy_with_logits(self=%x, target=%t, weight=%v, pos_weight=%p, reduction=2)`,
    gradient: [-3, -5.284782409667969, -0.7152175903320312],
  },
  {
    python: "F.binary_cross_entropy_with_logits(torch.full((3,), 0.5), x, reduction='none')",
    x: [0, 1, 0.5],
    weights: [1, 2, 3],
    body: `%l: f32[3] = aten::full(size=[3], fill_value=0.5, dtype=torch.float32)
      %y: f32[3] = aten::binary_cross_entropy_with_logits(self=%l, target=%x, reduction=0)`,
    gradient: [-0.5, -1, -1.5],
  },
  {
    python:
      "F.binary_cross_entropy_with_logits(torch.full((3,), 0.5), x, pos_weight=torch.full((3,), 3.0), reduction='none')",
    x: [0, 1, 0.5],
    weights: [1, 2, 3],
    body: `%l: f32[3] = aten::full(size=[3], fill_value=0.5, dtype=torch.float32)
      %p: f32[3] = aten::full(size=[3], fill_value=3, dtype=torch.float32)
      %y: f32[3] = aten::binary_cross_entropy_with_logits(self=%l, target=%x, pos_weight=%p, reduction=0)`,
    gradient: [0.4481539726257324, 0.8963079452514648, 1.3444619178771973],
  },
  {
    python: "F.cross_entropy(x.view(2, 2), torch.tensor([-100, -100]))",
    x: [1, 2, 3, 4],
    weights: [1],
    body: `%l: f32[2, 2] = aten::view(self=%x, size=[2, 2])
      %t: i64[2] = aten::full(size=[2], fill_value=-100, dtype=torch.int64)
      %y: f32[] = aten::cross_entropy_loss(self=%l, target=%t)`,
    gradient: [0, 0, 0, 0],
  },
  {
    python: "F.cross_entropy(x.view(2, 2), torch.tensor([-100, -100]), label_smoothing=0.1)",
    x: [1, 2, 3, 4],
    weights: [1],
    body: `%l: f32[2, 2] = aten::view(self=%x, size=[2, 2])
      %t: i64[2] = aten::full(size=[2], fill_value=-100, dtype=torch.int64)
      %y: f32[] = aten::cross_entropy_loss(self=%l, target=%t, label_smoothing=0.1)`,
    gradient: [0, 0, 0, 0],
  },
  {
    python: "F.nll_loss(x.view(2, 2), torch.tensor([-100, -100]))",
    x: [1, 2, 3, 4],
    weights: [1],
    body: `%l: f32[2, 2] = aten::view(self=%x, size=[2, 2])
      %t: i64[2] = aten::full(size=[2], fill_value=-100, dtype=torch.int64)
      %y: f32[] = aten::nll_loss(self=%l, target=%t)`,
    gradient: [0, 0, 0, 0],
  },
  {
    python: "F.smooth_l1_loss(x, torch.full((3,), inf), reduction='none')",
    x: [1, 2, 3],
    weights: [1, 2, 3],
    body: `%t: f32[3] = aten::full(size=[3], fill_value=inf, dtype=torch.float32)
      %y: f32[3] = aten::smooth_l1_loss(self=%x, target=%t, reduction=0)`,
    gradient: [-1, -2, -3],
  },
  {
    python: "F.huber_loss(torch.full((3,), inf), x, delta=2.0)",
    x: [1, 2, 3],
    weights: [3],
    body: `%t: f32[3] = aten::full(size=[3], fill_value=inf, dtype=torch.float32)
      %y: f32[] = aten::huber_loss(self=%t, target=%x, delta=2.0)`,
    gradient: [-2, -2, -2],
  },
  {
    python: "F.multi_margin_loss(x, torch.tensor(1))",
    x: [1, 2, 3],
    weights: [3],
    body: `%t: i64[] = aten::full(size=[], fill_value=1, dtype=torch.int64)
      %y: f32[] = aten::multi_margin_loss(self=%x, target=%t)`,
    gradient: [0, -1, 1],
  },
  {
    python: "x.median()",
    x: [1, 2, 2, 3],
    weights: [1],
    body: `%y: f32[] = aten::median(self=%x)`,
    gradient: [0, 0.5, 0.5, 0],
  },
  {
    python: "x.nanmedian()",
    x: [NaN, 2, 2, 3],
    weights: [1],
    body: `%y: f32[] = aten::nanmedian(self=%x)`,
    gradient: [0, 0.5, 0.5, 0],
  },
  {
    python: "x.std(1)",
    x: [2, 3],
    shape: [2, 1],
    weights: [1, 1],
    body: `%y: f32[2] = aten::std.correction(self=%x, dim=[1])`,
    gradient: [NaN, NaN],
  },
  {
    python: "x.norm(0.5)",
    x: [0, 1, 4],
    weights: [2],
    body: `%y: f32[] = aten::linalg_vector_norm(self=%x, ord=0.5)`,
    gradient: [0, 6, 3],
  },
  {
    python: "x.logcumsumexp(0)",
    x: [-inf, 0, 1, -inf, 2],
    weights: [1, -2, 3, 0, -1],
    body: `%y: f32[5] = aten::logcumsumexp(self=%x, dim=0)`,
    gradient: [NaN, -1.2832061052322388, 1.948447346687317, 0, -0.665241003036499],
  },
  {
    python: "torch.det(x)",
    x: [1, 2, 2, 4],
    shape: [2, 2],
    weights: [1],
    body: `%y: f32[], %u: f32[2, 2], %q: i32[2] = aten::_linalg_det(A=%x)`,
    gradient: [0, 0, 0, 0],
  },
];

describe("gradients are PyTorch's", async () => {
  const backend = await wasm({ worker: false });
  it.each(EDGES)("$python", async ({ x, shape = [x.length], weights, body, gradient }) => {
    const program = parse(`program {
      user_input %x: f32[${shape.join(", ")}]
      user_input %w: f32[${weights.length}]
      forward ("x", "w")
      in_spec tuple(tuple(*, *), dict())
      out_spec *
      ${body}
      %product: f32[${weights.length}] = aten::mul.Tensor(self=%y, other=%w)
      %loss: f32[] = aten::sum(self=%product)
      return %loss
    }`);
    const differentiated = await grad(program, { wrt: ["x"] });
    await using model = await load({ program: differentiated, weights: new Map() }, { backend });
    const { inputGradients } = await model.step!(
      hostTensor("float32", shape, Float32Array.from(x)),
      hostTensor("float32", [weights.length], Float32Array.from(weights)),
    );
    const found = [...(await inputGradients.x!.read())].map(Number);
    expect(found.length).toBe(gradient.length);
    for (const [i, expected] of gradient.entries()) {
      const isNear = Math.abs(found[i]! - expected) <= 2e-6 * Math.abs(expected);
      expect(isNear || Object.is(found[i], expected), `${found} at ${i}`).toBe(true);
    }
  });
});
