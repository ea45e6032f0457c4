// Bugs that programs for running exported models had: failures that are not reported.
import { wasm } from "@pt2/backend-wasm/node";
import { load, tensor } from "@pt2/runtime/node";
import { expect, it } from "vitest";
import { editFixture } from "../edit-fixture.ts";
import { loadFixture } from "../fixture.ts";

it("an op that cannot run stops the load, and is named with its place", async () => {
  const bytes = await editFixture("torch-2.13/mlp", "torch.ops.aten.relu.default", "torch.ops.mine.bend.default");
  const loading = load(bytes, { backend: wasm({ worker: false }) });
  await expect(loading).rejects.toMatchObject({
    code: "runtime.unsupported-ops",
    message: expect.stringContaining("mine::bend"),
    details: { unsupported: [{ op: "mine::bend", count: 1, where: expect.stringContaining("make_fixtures.py:91") }] },
  });
});

it("a handler's failure is reported, with its own error as the cause or unchanged", async () => {
  const failure = new Error("no license");
  const handlers = [
    {
      ops: ["aten::relu"],
      compile: () => {
        throw failure;
      },
    },
  ];
  const outcome = loadFixture("torch-2.13/mlp", { handlers }).then((model) =>
    model.forward(tensor("float32", [5, 7], new Float32Array(35))),
  );
  const error = await outcome.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect([error, (error as Error | undefined)?.cause]).toContain(failure);
});

it("every output is returned, even an input, a weight and a number that no op computes", async () => {
  await using model = await loadFixture("programs/pass_through");
  const x = tensor("float32", [2], [3, 4]);
  const [same, weight, seven] = await model.forward<readonly unknown[]>(x);
  expect(same).toMatchObject({ data: Float32Array.of(3, 4) });
  expect(weight).toMatchObject({ shape: [2, 3] });
  expect(Number(seven)).toBe(7);
});
