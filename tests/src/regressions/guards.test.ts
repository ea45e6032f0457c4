import { wasm } from "@pt2/backend-wasm/node";
import { archiveToBytes, openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { load, tensor } from "@pt2/runtime/node";
import { expect, it } from "vitest";
import { fixturePath } from "../fixture.ts";

it.each([
  {
    guardsCode: [
      "((3*L['ids'].size()[0]) / 2) == 6.0",
      "max(1, L['ids'].size()[0] % 3) + min(2, L['ids'].size()[1]) == 3",
    ],
    broken: "((3*ids.size()[0]) / 2) == 6.0",
  },
  { guardsCode: ["L['ids'].size()[0] > L['ids'].size()[1]"], broken: "ids.size()[0] > ids.size()[1]" },
  {
    guardsCode: ["math.trunc(0.5*torch.sym_float(L['ids'].size()[0])) == 2"],
    broken: "math.trunc(0.5*torch.sym_float(ids.size()[0])) == 2",
  },
  { guardsCode: ["(L['ids'].size()[0] % 2) != 1"], broken: "(ids.size()[0] % 2) != 1" },
  { guardsCode: ["(L['ids'].size()[0] // 2) != 1"], broken: "(ids.size()[0] // 2) != 1" },
  { guardsCode: ["(-2) + L['ids'].size()[0] >= 2"], broken: "(-2) + ids.size()[0] >= 2" },
  {
    guardsCode: ["L['ids'].size()[0] > 3 or L['ids'].size()[1] == 2"],
    broken: "ids.size()[0] > 3 or ids.size()[1] == 2",
  },
  { guardsCode: ["L['ids'].size()[0]*L['ids'].size()[1] > 9"], broken: "ids.size()[0]*ids.size()[1] > 9" },
  {
    guardsCode: ["not (L['ids'].size()[0] < 2 or (L['ids'].size()[0] & 1) == 1)"],
    broken: "not (ids.size()[0] < 2 or (ids.size()[0] & 1) == 1)",
  },
  {
    guardsCode: ["math.log2(torch.sym_float(L['ids'].size()[0])) >= 2.0"],
    broken: "math.log2(torch.sym_float(ids.size()[0])) >= 2.0",
  },
  {
    guardsCode: ["torch.sym_float(L['ids'].size()[0]) ** (-0.5) <= torch._sym_sqrt(0.25)"],
    broken: "torch.sym_float(ids.size()[0]) ** (-0.5) <= torch._sym_sqrt(0.25)",
  },
  {
    guardsCode: ["round(L['ids'].size()[0] / 3, 1) == 1.3"],
    broken: "round(ids.size()[0] / 3, 1) == 1.3",
  },
  { guardsCode: ["L['flat_args'][0].size()[0] != 3"], broken: "ids.size()[0] != 3" },
])(
  "a call whose sizes break a guard of the file is refused, as by PyTorch: $broken",
  async ({ guardsCode, broken }) => {
    const archive = await openArchive(await fromFile(fixturePath("torch-2.13/dynamic.pt2")));
    const [program, weights] = [await archive.program(), await archive.weights()];
    const bytes = await archiveToBytes({ models: [{ program: { ...program, guardsCode }, weights }] });
    await using backend = await wasm({ worker: false });
    await using model = await load(bytes, { backend });
    const ids = (rows: number) => tensor("int64", [rows, 3], Array(3 * rows).fill(1));
    await expect(model.forward(ids(4))).resolves.toBeDefined();
    await expect(model.forward(ids(3))).rejects.toThrow(`Guard failed: ${broken}`);
    await archive.close();
  },
);
