import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { grad } from "@pt2/autograd";
import { hostTensor, type Tensor } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { type CaseProgram, caseProgram, type FamilyName, loadFamily, registryOf } from "@pt2/conformance";
import type { Pt2Error } from "@pt2/format";
import type { Node, Program, TensorType } from "@pt2/graph";
import { load } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";

/** A case of the op conformance suite, and the gradient of each of its tensors as autograd computes it in float64. */
type Row = readonly [
  family: FamilyName,
  index: number,
  op: string,
  results: readonly number[],
  gradients: readonly (string | null)[],
];

const FILE = new URL("../fixtures/gradients.json.gz", import.meta.url);
const rows = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly Row[];

/** Cases whose gradient is another one than PyTorch's, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  "aten::as_strided": "PyTorch's autograd drops what as_strided reads outside of the view that it is called with",
  "aten::as_strided_scatter":
    "PyTorch's gradient of what is overwritten is the one of src, and it has none of the rest; written to a view, it has ours",
  "aten::binary_cross_entropy_backward":
    "PyTorch's second derivative adds to the variance what the first one clamps it with",
  "aten::cholesky_inverse": "PyTorch returns the gradient of a symmetric matrix, also where the op does not read",
  "aten::cholesky_solve": "PyTorch returns the gradient of a symmetric matrix, also where the op does not read",
  "complex aten::cumprod": "PyTorch multiplies complex numbers also where the op converts them to real ones first",
  "aten::embedding_dense_backward": "PyTorch leaves out scale_grad_by_freq in the second derivative",
  "aten::ldexp.Tensor": "PyTorch computes the negative powers of two in integers, which gives zero",
  "aten::nanquantile": "PyTorch's gradient of the quantile is finite beside NaN",
};

/** Ops that autograd refuses, with a code and a place; some of them only for complex numbers. */
const REFUSED: ReadonlySet<string> = new Set([
  ...`_linalg_det _linalg_slogdet combinations index_put linalg_cholesky_ex linalg_det linalg_inv_ex linalg_slogdet linalg_solve_ex
  linalg_solve_triangular linalg_tensorinv logdet triangular_solve linalg_cond linalg_eigh linalg_eigvalsh
  linalg_householder_product linalg_lu_factor_ex linalg_lu_solve linalg_matrix_exp linalg_matrix_norm.str_ord linalg_norm.ord_str
  linalg_pinv.atol_rtol_float linalg_qr linalg_svd linalg_svdvals lu_unpack ormqr`
    .split(/\s+/)
    .map((name) => `complex aten::${name}`),
  ...`cumprod_backward _ctc_loss _ctc_loss.Tensor ctc_loss.IntList ctc_loss.Tensor linalg_eig linalg_eigvals masked_select nextafter repeat_interleave.self_Tensor`
    .split(/\s+/)
    .map((name) => `aten::${name}`),
]);
const CODES: ReadonlySet<string> = new Set(["autograd.no-gradient", "autograd.sizes", "registry.scalar-gradient"]);

const registry = await registryOf();
const families = new Map(
  await Promise.all(
    [...new Set(rows.map(([family]) => family))].map(async (name) => [name, await loadFamily(name)] as const),
  ),
);

/** The names that the lists know a case by. */
function namesOf([family, index, op]: Row): readonly string[] {
  const isComplex = families.get(family)!.cases[index]!.tensors.some(({ dtype }) => dtype === "complex64");
  return isComplex ? [op, `complex ${op}`] : [op];
}

/** Adds the loss: the sum over `cos(0.7 i + k) * result_k[i]`, with the weights as inputs; of complex results, over their parts. */
function withWeights(
  { program, expected }: CaseProgram,
  used: readonly number[],
): { readonly program: Program; readonly weights: readonly Tensor[] } {
  const { graph } = program;
  const nodes: Node[] = [...graph.nodes];
  const values = new Map(graph.values);
  const inputs = [...graph.inputs];
  const weights: Tensor[] = [];
  const scalar: TensorType = {
    ...([...values.values()].find(({ kind }) => kind === "tensor") as TensorType),
    dtype: "float32",
    shape: [],
    strides: [],
  };
  const add = (op: string, args: readonly (readonly [string, string])[], type: TensorType): string => {
    const name = `loss${nodes.length}`;
    nodes.push({
      name,
      op,
      args: args.map(([key, value]) => ({ name: key, arg: { kind: "value", name: value } })),
      outputs: [{ kind: "value", name }],
      origin: {},
    });
    values.set(name, type);
    return name;
  };
  let floats = 0;
  const parts = graph.outputs.flatMap((arg, i) => {
    const { result } = expected[i]!;
    if (arg.kind !== "value" || result === null || typeof result !== "object" || !("dtype" in result)) return [];
    const { dtype } = result;
    if (dtype !== "float32" && dtype !== "float64" && dtype !== "complex64") return [];
    const shape = dtype === "complex64" ? [...result.shape, 2] : result.shape;
    const position = floats++;
    if (!used.includes(position)) return [];
    const k = weights.length;
    const type: TensorType = { ...scalar, shape };
    const data = Float32Array.from({ length: shape.reduce((n, size) => n * size, 1) }, (_, at) =>
      Math.cos(0.7 * at + position),
    );
    weights.push(hostTensor("float32", shape, data));
    values.set(`w${k}`, type);
    inputs.push(`w${k}`);
    const self = dtype !== "complex64" ? arg.name : add("aten::view_as_real", [["self", arg.name]], type);
    const product = add(
      "aten::mul.Tensor",
      [
        ["self", self],
        ["other", `w${k}`],
      ],
      type,
    );
    return [add("aten::sum", [["self", product]], scalar)];
  });
  const loss = parts.reduce((sum, part) =>
    add(
      "aten::add.Tensor",
      [
        ["self", sum],
        ["other", part],
      ],
      scalar,
    ),
  );
  return {
    weights,
    program: {
      ...program,
      graph: { inputs, nodes, outputs: [{ kind: "value", name: loss }], values },
      inputs: [...program.inputs, ...weights.map((_, k) => ({ kind: "user_input" as const, value: `w${k}` }))],
      outputs: [{ kind: "user_output" }],
    },
  };
}

describe("gradients of ops are those of PyTorch's autograd", async () => {
  const backend = await wasm({ worker: false });
  it.each(rows.filter((row) => namesOf(row).every((name) => DIFFERENT[name] === undefined)))(
    "%s %d: %s",
    async (...row) => {
      const [family, index, , used, expected] = row;
      const opCase = families.get(family)!.cases[index]!;
      const made = caseProgram(opCase, "inputs", registry, backend.capabilities);
      const { program, weights } = withWeights(made, used);
      const wrt = expected.flatMap((gradient, i) => (gradient === null ? [] : [`x${i}`]));
      const differentiated = await grad(program, { wrt }).catch((error: unknown) => error);
      if (differentiated instanceof Error) {
        expect(CODES, String(differentiated)).toContain((differentiated as Pt2Error).code);
        expect(
          namesOf(row).some((name) => REFUSED.has(name)),
          String(differentiated),
        ).toBe(true);
        return;
      }
      await using model = await load({ program: differentiated as Program, weights: new Map() }, { backend });
      const { inputGradients } = await model.step!(...made.inputs, ...weights);
      for (const [i, text] of expected.entries()) {
        if (text === null) continue;
        const bytes = Buffer.from(text, "base64");
        const right = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
        const found = (await inputGradients[`x${i}`]!.read()) as Float32Array;
        const scale = right.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-3);
        const worst = right.reduce((most, value, k) => Math.max(most, Math.abs(value - found[k]!) / scale), 0);
        expect(found.length).toBe(right.length);
        expect(worst, `x${i}: ${found.slice(0, 8)} instead of ${right.slice(0, 8)}`).toBeLessThan(1e-4);
      }
    },
  );
});

it("at least 400 ops are among them", () => {
  const ops = new Set(rows.map(([, , op]) => op).filter((op) => !REFUSED.has(op) && DIFFERENT[op] === undefined));
  expect(ops.size).toBeGreaterThan(400);
});
