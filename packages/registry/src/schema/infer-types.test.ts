import type { DType } from "@pt2/format";
import { describe, expectTypeOf, it } from "vitest";
import { defineOp } from "../op.ts";
import type { ScalarExpr } from "../scalar/expr.ts";
import type { Scalar, TensorMeta } from "../tensor-meta.ts";
import type { ArgsOf, Operands, ResultsOf } from "./infer-types.ts";

type Conv =
  'aten::conv2d.padding(Tensor input, Tensor? bias=None, SymInt[2] stride=[1, 1], *, str padding="valid", Tensor?[] more) -> (Tensor out, Tensor[] rest)';

describe("types from schema strings", () => {
  it("types of arguments come from the schema string", () => {
    expectTypeOf<ArgsOf<Conv>>().toEqualTypeOf<{
      readonly input: TensorMeta;
      readonly bias: TensorMeta | null;
      readonly stride: readonly number[];
      readonly padding: string;
      readonly more: readonly (TensorMeta | null)[];
    }>();
    expectTypeOf<
      ArgsOf<"t::f(Tensor(a -> *) self, Tensor(b!)[] out, ScalarType? dtype=None, float[]? scales=None) -> ()">
    >().toEqualTypeOf<{
      readonly self: TensorMeta;
      readonly out: readonly TensorMeta[];
      readonly dtype: DType | null;
      readonly scales: readonly number[] | null;
    }>();
    expectTypeOf<ArgsOf<"t::f() -> ()">>().toEqualTypeOf<Record<never, never>>();
  });

  it("types of results come from the schema string", () => {
    expectTypeOf<ResultsOf<Conv>>().toEqualTypeOf<readonly [TensorMeta, readonly TensorMeta[]]>();
    expectTypeOf<ResultsOf<"t::f(Tensor(a!) x) -> Tensor(a!)">>().toEqualTypeOf<TensorMeta>();
    expectTypeOf<ResultsOf<"t::f(Tensor(a) x) -> (Tensor(a), Tensor(b!))">>().toEqualTypeOf<
      readonly [TensorMeta, TensorMeta]
    >();
    expectTypeOf<ResultsOf<"t::f(Tensor(a) x) -> Tensor(a)[]">>().toEqualTypeOf<readonly TensorMeta[]>();
    expectTypeOf<ResultsOf<"t::f(Tensor x) -> ()">>().toEqualTypeOf<undefined>();
    expectTypeOf<ResultsOf<"t::f(Tensor x) -> Scalar">>().toEqualTypeOf<Scalar>();
  });

  it("types of a scalar rule's operands come from the schema string", () => {
    type Clamp =
      't::f(Tensor self, Scalar? min=None, Tensor? other=None, *, str mode="none", bool flag=False, int n=1) -> Tensor';
    expectTypeOf<Operands<Clamp>>().toEqualTypeOf<
      [ScalarExpr, ScalarExpr | null, ScalarExpr | null, string, boolean, ScalarExpr]
    >();
  });

  it("the callbacks of defineOp are typed by the schema string", () => {
    defineOp("my::f(Tensor self, int dim=-1) -> Tensor", {
      infer: (args) => {
        expectTypeOf(args.dim).toEqualTypeOf<number>();
        return args.self;
      },
      scalar: (self, dim) => {
        expectTypeOf(dim).toEqualTypeOf<ScalarExpr>();
        return self;
      },
    });
  });
});
