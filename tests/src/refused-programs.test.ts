import { readFileSync } from "node:fs";
import { fromBytes, openArchive } from "@pt2/format";
import { load } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { fixturePath } from "./fixture.ts";

/** Weights of torchao that were exported as objects of its own class. */
const SUBCLASS = fixturePath("refused/torchao_subclass.pt2");

const REFUSAL = {
  code: "format.tensor-subclass",
  what: expect.stringContaining('the weight "up.weight" cannot be read'),
  advice: expect.stringContaining("torchao.utils.unwrap_tensor_subclass(model) before torch.export.export"),
  details: expect.objectContaining({ weight: "up.weight" }),
};

const backends = await testedBackends();

describe("weights that are tensor subclasses", () => {
  for (const { name, missing, create, precision } of backends) {
    it.skipIf(missing !== null)(`weights that are tensor subclasses are refused with advice: ${name}`, async () => {
      const loading = load(SUBCLASS, { backend: await create(), ...(precision && { precision }) });
      await expect(loading).rejects.toMatchObject(REFUSAL);
    });
  }

  it("a file with tensor subclasses has a readable program, whose report says the same", async () => {
    const archive = await openArchive(fromBytes(readFileSync(SUBCLASS)));
    await expect(archive.weights()).rejects.toMatchObject(REFUSAL);
    const { graphModule } = await archive.program();
    const targets = graphModule.graph.nodes.map(({ target }) => target);
    await archive.close();
    expect(targets).toContain("torch.ops.export.access_subclass_inner_tensor.default");
  });
});
