import { readFileSync } from "node:fs";
import type { DType } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { defineOp } from "./op.ts";
import { resultType, typeScalarCall } from "./promotion.ts";
import { scalar } from "./scalar/build.ts";
import type { TensorMeta } from "./tensor-meta.ts";
import { wrapNumber } from "./wrapped.ts";

interface Golden {
  readonly dtypes: readonly DType[];
  readonly wrapped: readonly string[];
  readonly results: Readonly<Record<string, readonly (readonly number[])[]>>;
}
const golden = JSON.parse(readFileSync(new URL("./promotion.golden.json", import.meta.url), "utf8")) as Golden;
const numbers = { bool: true, int: 2, float: { float: 2.5 }, complex: { re: 0, im: 1 } };
const operands: Readonly<Record<string, readonly TensorMeta[]>> = {
  dim: golden.dtypes.map((dtype) => ({ dtype, shape: [2] })),
  zero: golden.dtypes.map((dtype) => ({ dtype, shape: [] })),
  wrapped: Object.values(numbers).map(wrapNumber),
};

const typeOrRefusal = (a: TensorMeta, b: TensorMeta): string => {
  try {
    return resultType([a, b]);
  } catch {
    return "refused";
  }
};

describe("resultType", () => {
  it.each(Object.keys(golden.results))("resultType is PyTorch's for %s operands", (kinds) => {
    const [x, y] = kinds.split(",") as [string, string];
    const ours = operands[x]!.map((a) => operands[y]!.map((b) => typeOrRefusal(a, b)));
    const theirs = golden.results[kinds]!.map((row) => row.map((at) => golden.dtypes[at] ?? "refused"));
    expect(ours).toEqual(theirs);
  });
});

describe("typeScalarCall", () => {
  const { add, mul, eq, div } = scalar;
  const addTensor = defineOp("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", {
    scalar: (x, y, alpha) => add(x, mul(alpha, y)),
  });
  const meta = (dtype: DType, ...shape: number[]): TensorMeta => ({ dtype, shape });

  it("typeScalarCall broadcasts, promotes and keeps the operands", () => {
    const self = meta("float16", 3, 1);
    const call = typeScalarCall(addTensor, { self, other: meta("int64", 5), alpha: 1 });
    expect(call).toMatchObject({ dtype: "float16", shape: [3, 5], compute: "float16" });
    expect(call.operands).toEqual([self, meta("int64", 5)]);
  });

  it("typeScalarCall puts numbers into the expression", () => {
    const call = typeScalarCall(addTensor, { self: meta("int32", 2), other: wrapNumber({ float: 2 }), alpha: 3 });
    expect(call.dtype).toBe("float32");
    expect(call.operands).toHaveLength(1);
    expect(call.expr).toEqual(add(scalar.input(0), mul(3, 2)));
  });

  it("typeScalarCall follows the record's promotion rule", () => {
    const compare = defineOp("aten::eq.Scalar(Tensor self, Scalar other) -> Tensor", {
      scalar: eq,
      promote: { kind: "bool" },
    });
    const call = typeScalarCall(compare, { self: meta("float16", 2), other: { float: 0.1 } });
    expect(call).toMatchObject({ dtype: "bool", compute: "float16" });
    expect(call.expr).toEqual(eq(scalar.input(0), 0.0999755859375));
    const divide = defineOp("aten::div.Tensor(Tensor self, Tensor other) -> Tensor", {
      scalar: div,
      promote: { kind: "float" },
    });
    expect(typeScalarCall(divide, { self: meta("int8", 2), other: meta("int8") }).dtype).toBe("float32");
  });

  it("typeScalarCall refuses shapes that do not broadcast, with PyTorch's message", () => {
    expect(() => typeScalarCall(addTensor, { self: meta("int8", 2, 3), other: meta("int8", 4), alpha: 1 })).toThrow(
      "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
    );
  });
});
