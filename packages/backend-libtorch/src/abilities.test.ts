import { floats, programOf } from "@pt2/conformance";
import { createRegistry, defineOp } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { compileBody } from "./programs.test-helper.ts";

describeWithLibtorch("what can run", ({ addon }) => {
  const backend = new LibtorchBackend(addon);
  const registry = createRegistry({ sets: [aten] });
  const missing = async (body: string, known = registry) =>
    (await backend.unsupported(programOf(body), known)).map(({ op, why }) => `${op}: ${why}`);

  it("ops that reach outside of their tensors are refused with the reason, also when a record has them", async () => {
    expect(
      await missing(`
  user_input %x: f32[2]
  %f: f32[2] = aten::from_file(filename="/etc/passwd", shared=false, size=2)
  %p: int = mkldnn::data_ptr(%x)
  return %f, %p`),
    ).toEqual([
      "aten::from_file: the libtorch backend refuses it: it opens a file that the program names",
      "mkldnn::data_ptr: the libtorch backend refuses it: it hands out or takes memory addresses",
    ]);
  });

  it("a program needs no records; one that a decomposition needs is looked for", async () => {
    const none = createRegistry({ sets: [] });
    expect(await missing("  user_input %x: f32[2]\n  %y: f32[2] = aten::relu(%x)\n  return %y", none)).toEqual([]);
    const mine = (inner: string) =>
      createRegistry({
        sets: [
          aten,
          {
            name: "my",
            ops: [
              defineOp("my::outer(Tensor x) -> Tensor", { decompose: ({ x }, b) => b.tensor(inner, { self: x }) }),
              defineOp("my::inner(Tensor self) -> Tensor", { infer: ({ self }) => self }),
            ],
          },
        ],
      });
    const body = "  user_input %x: f32[2]\n  %y: f32[2] = my::outer(x=%x)\n  return %y";
    expect(await missing(body, mine("aten::relu"))).toEqual([]);
    expect(await missing(body, mine("my::inner"))).toEqual([expect.stringContaining("it needs my::inner")]);
  });

  it("objects of TorchScript classes are said to be missing", async () => {
    expect(
      await missing(`
  custom_obj "queue" = %q: object "__torch__.Queue"
  user_input %x: f32[2]
  %y: f32[2] = aten::add.Tensor(%x, other=%q)
  return %y`),
    ).toEqual([expect.stringContaining("TorchScript class")]);
  });

  it("devices of the file do not matter, arguments of the wrong kind do", async () => {
    const there = await compileBody(
      backend,
      `
  user_input %x: f32[2]
  %z: f32[2] = aten::zeros(size=[2], device=device(cuda:3))
  %y: f32[2] = aten::add.Tensor(%x, other=%z)
  return %y`,
    );
    expect(await there.run([floats([2], 1, 2)])).toMatchObject([{ data: Float32Array.of(1, 2) }]);
    const wrong = compileBody(
      backend,
      `
  user_input %x: f32[2]
  %y: f32[2] = aten::sum.dim_IntList(%x, dim="all")  # head (model.py:7, in forward)
  return %y`,
    );
    await expect(wrong).rejects.toMatchObject({
      code: "libtorch.argument",
      where: expect.stringContaining("model.py:7"),
    });
    await there.dispose();
  });

  it("a file that is no package of AOTInductor is a coded error", async () => {
    expect(() => backend.loadAoti("/nowhere/model.pt2")).toThrow(
      expect.objectContaining({ name: "Pt2Error", code: expect.stringMatching(/^libtorch\.(aoti|file)$/) }),
    );
  });
});
