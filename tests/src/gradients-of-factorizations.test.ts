import { wasm } from "@pt2/backend-wasm/node";
import { gradcheck } from "@pt2/conformance";
import { parse } from "@pt2/graph";
import { randn } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";

/** Shapes of the input, and what is computed of it: `%a`, and `%b` where there are two results. */
const CALLS: readonly (readonly [what: string, shape: readonly number[], body: string])[] = [
  [
    "eigh",
    [4, 4],
    "%m: f64[4, 4] = aten::t(%x)\n %y: f64[4, 4] = aten::add.Tensor(%x, other=%m)\n %a: f64[4], %b: f64[4, 4] = aten::linalg_eigh(%y)",
  ],
  [
    "eigvalsh of two",
    [2, 3, 3],
    "%m: f64[2, 3, 3] = aten::transpose.int(%x, dim0=1, dim1=2)\n %y: f64[2, 3, 3] = aten::add.Tensor(%x, other=%m)\n %a: f64[2, 3] = aten::linalg_eigvalsh(%y)",
  ],
  [
    "svd of tall matrices",
    [2, 5, 3],
    "%a: f64[2, 5, 3], %s: f64[2, 3], %b: f64[2, 3, 3] = aten::linalg_svd(A=%x, full_matrices=false)",
  ],
  [
    "svd of a wide matrix",
    [3, 5],
    "%a: f64[3, 3], %s: f64[3], %b: f64[3, 5] = aten::linalg_svd(A=%x, full_matrices=false)",
  ],
  ["numbers of svd", [3, 5], "%a: f64[3] = aten::linalg_svdvals(A=%x)"],
  ["qr of a tall matrix", [5, 3], "%a: f64[5, 3], %b: f64[3, 3] = aten::linalg_qr(A=%x)"],
  ["qr of wide matrices", [2, 3, 5], "%a: f64[2, 3, 3], %b: f64[2, 3, 5] = aten::linalg_qr(A=%x)"],
  ["complete qr", [4, 4], '%a: f64[4, 4], %b: f64[4, 4] = aten::linalg_qr(A=%x, mode="complete")'],
  ["lu of a tall matrix", [5, 3], "%a: f64[5, 3], %p: i32[3], %i: i32[] = aten::linalg_lu_factor_ex(A=%x)"],
  ["lu of wide matrices", [2, 3, 5], "%a: f64[2, 3, 5], %p: i32[2, 3], %i: i32[2] = aten::linalg_lu_factor_ex(A=%x)"],
  [
    "unpacked lu of a wide matrix",
    [3, 5],
    "%l: f64[3, 5], %p: i32[3], %i: i32[] = aten::linalg_lu_factor_ex(A=%x)\n %q: f64[3, 3], %a: f64[3, 3], %b: f64[3, 5] = aten::lu_unpack(LU_data=%l, LU_pivots=%p)",
  ],
  ...["true", "false"].flatMap((left) =>
    ["true", "false"].map((adjoint): readonly [string, readonly number[], string] => [
      `lu_solve, left=${left}, adjoint=${adjoint}`,
      [4, 4],
      `%l: f64[4, 4], %p: i32[4], %i: i32[] = aten::linalg_lu_factor_ex(A=%x)\n %r: f64[4, 4] = aten::sin(%x)\n %a: f64[4, 4] = aten::linalg_lu_solve(LU=%l, pivots=%p, B=%r, left=${left}, adjoint=${adjoint})`,
    ]),
  ),
  [
    "reflections",
    [5, 3],
    "%t: f64[3] = aten::mean.dim(%x, dim=[0])\n %a: f64[5, 3] = aten::linalg_householder_product(input=%x, tau=%t)",
  ],
  ...["true", "false"].flatMap((left) =>
    ["true", "false"].map((transpose): readonly [string, readonly number[], string] => [
      `ormqr, left=${left}, transpose=${transpose}`,
      [4, 4],
      `%t: f64[4] = aten::mean.dim(%x, dim=[0])\n %r: f64[4, 4] = aten::sin(%x)\n %a: f64[4, 4] = aten::ormqr(self=%x, input2=%t, input3=%r, left=${left}, transpose=${transpose})`,
    ]),
  ),
  ["pinv of a tall matrix", [5, 3], "%a: f64[3, 5] = aten::linalg_pinv.atol_rtol_float(%x)"],
  ["pinv of wide matrices", [2, 3, 4], "%a: f64[2, 4, 3] = aten::linalg_pinv.atol_rtol_float(%x)"],
  [
    "products of scattered numbers",
    [3, 4],
    '%i: i64[3, 4] = aten::to.dtype(%x, dtype=torch.int64)\n %j: i64[3, 4] = aten::abs(%i)\n %s: f64[3, 4] = aten::sin(%x)\n %a: f64[3, 4] = aten::scatter_reduce.two(%x, dim=0, index=%j, src=%s, reduce="prod")',
  ],
];

describe("gradients of factorizations are differences of values", async () => {
  const backend = await wasm({ worker: false });
  it.each(CALLS)("%s", async (_, shape, body) => {
    const parts = [
      "a",
      ...(body.includes("%b:") ? ["b"] : []),
      ...(body.includes("%s: f64[2, 3]") || body.includes("%s: f64[3]") ? ["s"] : []),
    ];
    const size = (name: string): string => new RegExp(`%${name}: (f64\\[[^\\]]*\\])`).exec(body)![1]!;
    // The sum of sines tells apart what the sum of all would not.
    const losses = parts.map(
      (name) => `%${name}1: ${size(name)} = aten::mul.Tensor(%${name}, other=1.7)
        %${name}2: ${size(name)} = aten::sin(%${name}1)
        %${name}3: ${size(name)} = aten::cumsum(%${name}2, dim=0)
        %${name}4: f64[] = aten::sum(%${name}3)`,
    );
    const [first, ...rest] = parts;
    const sums = rest.map(
      (name, i) => `%t${i}: f64[] = aten::add.Tensor(%${i === 0 ? `${first}4` : `t${i - 1}`}, other=%${name}4)`,
    );
    const last = rest.length === 0 ? `${first}4` : `t${rest.length - 1}`;
    const program = parse(
      `program {\n user_input %x: f64[${shape.join(", ")}]\n ${[body, ...losses, ...sums].join("\n ")}\n return %${last}\n}`,
    );
    const inputs = [randn([...shape], { seed: 3, dtype: "float64" })];
    const { compared } = await gradcheck(program, { inputs, backend });
    expect(compared.length).toBeGreaterThan(1);
  });
});
