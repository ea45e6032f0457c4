import { contiguousStrides, numel } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";
import { Rows, rowVectors } from "../rows.ts";

/** Rows that are normalized, each by its own statistics. */
export interface RowNorm {
  readonly name: string;
  /** [...rows, ...elements of a row] */
  readonly input: TensorView;
  /** Trailing dimensions of the input that are one row. */
  readonly rowDims: number;
  readonly eps: number;
  /** Subtracts the mean first; without it a row is divided by its root mean square. */
  readonly centered: boolean;
  readonly weight: TensorView | null;
  readonly bias: TensorView | null;
  /** Groups of channels: rows take turns with them, each channel having `space` elements and a weight. Else elements have. */
  readonly channels: { readonly groups: number; readonly space: number } | null;
}

/** Plans `(x - mean) / √(variance + eps) * weight + bias` as result 0, and mean and reciprocal deviation as 1 and 2. */
export function planRowNorm(call: KernelCall, norm: RowNorm): void {
  const { weight, bias, channels, centered } = norm;
  const input = withDenseRows(call, norm);
  const lead = input.shape.length - norm.rowDims;
  const n = numel(input.shape.slice(lead));
  const kept = { shape: input.shape.slice(0, lead), strides: input.strides.slice(0, lead) };
  const count = numel(kept.shape);
  if (count * n === 0) return;
  const affine = [weight, bias].map((view) => view && call.dense(view));
  const aligned =
    channels === null ? affine.every((view) => view === null || view.offset % 4 === 0) : channels.space % 4 === 0;
  const vector = aligned && rowVectors(input, n, kept);
  const rows = new Rows({ count, n, dense: true, vector }, call.adapter);
  const { type } = rows;
  const shader = call
    .shader(norm.name)
    .raw("x", input, { vector })
    .offsets("first", kept)
    .f32("eps", norm.eps)
    .f32("n", n);
  const scaled = parameter(shader, "weight", affine[0]!, norm, vector);
  const shifted = parameter(shader, "bias", affine[1]!, norm, vector);
  shader.result("out", 0, { vector });
  const statistics = call.call.results.length === 3;
  if (statistics) for (const [at, name] of ["mean", "rstd"].entries()) shader.result(name, at + 1);
  if (channels !== null)
    shader
      .u32("groups", channels.groups)
      .u32("space", channels.space)
      .u32("group_channels", n / channels.space);
  const load = vector ? "x_at4(base + i)" : "x_at(base + i)";
  // The mean is corrected by what is left around it, so that rows of equal elements become zeros.
  const deviation = centered
    ? `var sum = ${type}();
  ${rows.each(`sum += ${load};`)}
  let about = ${rows.sum("sum")} / p.n;
  var rest = ${type}();
  var squares = ${type}();
  ${rows.each(`let d = ${load} - about; rest += d; squares += d * d;`)}
  let off = ${rows.sum("rest")} / p.n;
  let mean = about + off;
  let variance = max(${rows.sum("squares")} / p.n - off * off, 0f);`
    : `var squares = ${type}();
  ${rows.each(`let x = ${load}; squares += x * x;`)}
  let variance = ${rows.sum("squares")} / p.n;`;
  const at = channels === null ? "let at = i;" : "let at = row % p.groups * p.group_channels + i / p.space;";
  const value = `(${load}${centered ? " - mean" : ""}) * rstd${scaled}${shifted}`;
  const body = `let base = first(row);
  ${deviation}
  let rstd = inverseSqrt(variance + p.eps);
  ${statistics ? rows.once("set_mean(row, mean); set_rstd(row, rstd);") : ""}
  ${rows.each(`${scaled + shifted === "" ? "" : at} ${rows.store("out", "row * p.row", "", value)}`)}`;
  rows.run(shader, body);
}

/** Binds a weight or bias, and gives the WGSL that applies it. */
function parameter(
  shader: Shader,
  name: string,
  view: TensorView | null,
  { channels }: RowNorm,
  vector: boolean,
): string {
  if (view === null) return "";
  const four = vector && channels === null;
  shader.raw(name, view, { vector: four });
  return `${name === "weight" ? " *" : " +"} ${name}_at${four ? "4" : ""}(at)`;
}

/** The input with the elements of each row behind one another. */
function withDenseRows(call: KernelCall, { input, rowDims }: RowNorm): TensorView {
  const { shape, strides } = input;
  const dense = contiguousStrides(shape);
  const inner = [...shape.keys()].slice(shape.length - rowDims);
  return inner.every((d) => shape[d] === 1 || strides[d] === dense[d]) ? input : call.dense(input);
}
