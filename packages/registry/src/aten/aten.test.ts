import { describe, expect, it } from "vitest";
import { functionalName } from "../in-place.ts";
import { functionalNamesOfOut } from "../out-variant.ts";
import { printSchema } from "../schema/print-schema.ts";
import { torchSchemas } from "../schemas.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import { aten } from "./aten-ops.ts";

const registry = createRegistry({ sets: [aten] });

describe("aten", () => {
  it("aten has exactly PyTorch's schemas", () => {
    const different = aten.ops
      .map(({ name, schema }) => [printSchema(schema), torchSchemas.textOf(name)])
      .filter(([ours, theirs]) => ours !== theirs);
    // PyTorch has only an in-place variant of it.
    expect(different).toEqual([
      ["aten::fill_diagonal(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor", undefined],
    ]);
  });

  it("every op of aten has a rule", () => {
    const bare = aten.ops.filter((op) => !(op.infer ?? op.view ?? op.scalar ?? op.decompose));
    expect(bare.map((op) => op.name)).toEqual([]);
  });

  it("the derived schemas of in-place variants are exactly PyTorch's", () => {
    const inPlace = torchSchemas
      .names()
      .filter((name) => registry.resolve(functionalName(name) ?? "no::op") !== undefined);
    expect(inPlace.length).toBeGreaterThan(150);
    const different = inPlace.filter((name) => {
      const theirs = torchSchemas.schemaOf(name)!;
      const ours = registry.resolve(name);
      return (
        theirs.args[0]?.alias?.write === true &&
        (ours === undefined || printSchema(ours.schema) !== torchSchemas.textOf(name))
      );
    });
    // The functional variant takes `n` before `self`.
    expect(different).toEqual(["aten::polygamma_"]);
  });

  it("the derived schemas of out variants are exactly PyTorch's", () => {
    const derived = torchSchemas
      .names()
      .filter((name) => functionalNamesOfOut(name).length > 0 && registry.resolve(name) !== undefined);
    expect(derived.length).toBeGreaterThan(300);
    const different = derived.filter(
      (name) => printSchema(registry.resolve(name)!.schema) !== torchSchemas.textOf(name),
    );
    // PyTorch names the argument that it writes to `grad_input`.
    expect(different).toEqual(["aten::_softmax_backward_data.out", "aten::huber_loss_backward.out"]);
  });
});
