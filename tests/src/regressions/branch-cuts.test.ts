import { wasm } from "@pt2/backend-wasm/node";
import { parse } from "@pt2/graph";
import { load, tensor } from "@pt2/runtime/node";
import { afterAll, expect, it } from "vitest";

const backend = wasm({ worker: false });
afterAll(() => backend.dispose());

it.each(["_conj", "neg", "negative"])(
  "complex %s of a number on a branch cut is on PyTorch's side of it",
  async (op) => {
    const program = parse(`program {
    user_input %x: f32[2, 2]
    forward(x)
    in_spec tuple(tuple(*), dict())
    out_spec *
    %z: c64[2] = aten::view_as_complex(%x)
    %c: c64[2] = aten::${op}(%z)
    %y: f32[2] = aten::angle(%c)
    return %y
  }`);
    await using model = await load({ program, weights: new Map() }, { backend });
    const sign = op === "_conj" ? -1 : 1;
    const [y] = (await model.runFlat([
      tensor([
        [sign, 0],
        [sign, -0],
      ]),
    ])) as readonly { read(): Promise<Float32Array> }[];
    expect([...(await y!.read())].map((angle) => angle.toFixed(2))).toEqual(["-3.14", "3.14"]);
  },
);
