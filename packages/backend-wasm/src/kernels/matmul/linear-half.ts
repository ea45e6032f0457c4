import type { TensorMeta } from "@pt2/registry";
import type { KernelCall } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { float32Result } from "../float32.ts";
import { asMatrix, asRows, clampArgs, PANEL, packedMatrix, transposed } from "./gemm.ts";
import { narrowKernels } from "./narrow-module.ts";
import { planPanels } from "./narrow-panels.ts";
import type { NarrowKernels } from "./narrow-plain.gen.ts";

/** Of a multiplication and an addition of a row, which waits for the weight. */
const NANOSECONDS_EACH_PRODUCT = 0.06;

/** Rows that read the weight themselves; they do so one after the other, and float16 takes longer. */
const FEW_ROWS = { bfloat16: 10, float16: 5 } as const;

/** How a weight is read, see assembly/linear-half.ts. */
const [BFLOAT16, FINITE_FLOAT16, FLOAT16] = [0, 1, 2];

interface Operands {
  readonly input: TensorView;
  readonly weight: TensorView;
  readonly bias: TensorView | null;
}

/** Plans a linear layer whose weight, a constant of float16 or bfloat16, stays as it is in memory; K is even. */
export async function planLinearHalf(
  call: KernelCall,
  { input, weight, bias }: Operands,
  args: { readonly weight: TensorMeta },
): Promise<void> {
  const kernels = await narrowKernels(call);
  const [N, K] = weight.shape as readonly [number, number];
  const pack = (matrix: TensorView): TensorView => packedMatrix(call, transposed(call.dense(matrix)));
  const isBrain = weight.dtype === "bfloat16";
  const fewRows = FEW_ROWS[isBrain ? "bfloat16" : "float16"];
  const finite = isBrain ? null : whetherFinite(call, kernels, pack(call.tensor(args.weight)));
  const packed = pack(weight);
  const kind = (): number => {
    if (finite === null) return BFLOAT16;
    return call.heap.i32[addressOf(finite) / 4] === 1 ? FINITE_FLOAT16 : FLOAT16;
  };
  const rows = asRows(call, input);
  const added = bias && call.dense(bias);
  const panel = PANEL * K * 2;
  float32Result(call, (out) => {
    planPanels(call, {
      ...{
        rows,
        out: asMatrix(out),
        bias: added,
        clamp: call.clamp,
        nanoseconds: NANOSECONDS_EACH_PRODUCT,
        fewRows,
      },
      few: (at, columns, { a, c, bias }) => {
        const from = addressOf(packed) + at * panel;
        kernels.halfRows(kind(), rows.shape[0]!, columns, K, a, K, from, c, N, bias, ...clampArgs(call.clamp));
      },
      widen: (at, columns, to) => {
        const bytes = Math.ceil(columns / PANEL) * panel;
        kernels.halfFloats(kind(), addressOf(packed) + at * panel, bytes, to);
      },
    });
  });
}

/** Whether all float16 of a packed weight are finite: 1 in memory, or 0. Those that are not take longer to read. */
function whetherFinite(call: KernelCall, kernels: NarrowKernels, packed: TensorView): TensorView {
  const to = { dtype: "int32", shape: [1] } as const;
  return call.prepared(packed, "finite", to, (inner, from, at) => {
    const [bytes] = from.shape as readonly [number];
    inner.step(() => {
      inner.heap.i32[addressOf(at) / 4] = kernels.halfIsFinite(addressOf(from), bytes);
    });
  });
}
