import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf } from "@pt2/conformance";
import { convert } from "@pt2/registry/scalar";
import { expect, it } from "vitest";
import { WasmBackend } from "../backend.ts";

const { NaN: NAN, POSITIVE_INFINITY: INF } = Number;

/** What PyTorch makes of float64 numbers: only to uint8 they go by way of an int64. */
const BEYOND = {
  x: [-(2 ** 31) - 1, 2 ** 31, 2 ** 32 - 1, -(2 ** 32) - 7, 2 ** 40 + 5, 2 ** 63, NAN, INF, -300, 511.9],
  uint8: [255, 0, 255, 249, 5, 0, 0, 0, 212, 255],
  int8: [0, 0, 0, 0, 0, 0, 0, 0, -44, -1],
};

it.each([
  ["uint8", "u8"],
  ["int8", "i8"],
] as const)("float64 numbers beyond int32 become those of %s as in PyTorch", async (dtype, short) => {
  const { x } = BEYOND;
  await using backend = new WasmBackend();
  const program = programOf(`
    user_input %x: f64[${x.length}]
    %y: ${short}[${x.length}] = aten::_to_copy(self=%x, dtype=torch.${dtype})
    return %y`);
  const executable = await backend.compile({ program, weights: new Map(), registry: registryOf() });
  const [y] = (await executable.run([hostTensor("float64", [x.length], Float64Array.from(x))])) as [HostTensor];
  expect([...(y.data as Int8Array)]).toEqual(BEYOND[dtype]);
  expect(x.map((each) => convert(dtype, each))).toEqual(BEYOND[dtype]);
});
