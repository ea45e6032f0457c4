import { hostTensor } from "@pt2/backend";
import { programOf, registryOf, run, weightsOf } from "@pt2/conformance";
import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";

/** More columns than floats can add up exactly at the ends of the dtypes. */
const [K, N] = [1541, 39];

const weight = Int8Array.from({ length: N * K }, (_, i) => (i % 7 === 0 ? 127 : -128 + (i % 11)));

await describeWithDevice("_int_mm", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    test.each([
      [1, "int8", "i8"],
      [3, "uint8", "u8"],
      [70, "uint8", "u8"],
      [70, "int8", "i8"],
    ] as const)("%i rows of %s are multiplied exactly", async (M, dtype, type) => {
      const program = programOf(`
  parameter "w" = %w: i8[${N}, ${K}]
  user_input %x: ${type}[${M}, ${K}]
  %t: i8[${K}, ${N}] = aten::t(self=%w)
  %y: i32[${M}, ${N}] = aten::_int_mm(self=%x, mat2=%t)
  return %y`);
      const weights = weightsOf({ w: hostTensor("int8", [N, K], weight) });
      const backend = await variantBackend(variant);
      const executable = await backend.compile({ program, weights, registry: registryOf() });
      const rows = Array.from({ length: M * K }, (_, i) => (i % 5 === 0 ? -128 : 127 - (i % 3)));
      const data = dtype === "int8" ? Int8Array.from(rows) : Uint8Array.from(rows, (value) => value + 128);
      const expected = Array.from({ length: M * N }, (_, at) => {
        const [row, column] = [Math.floor(at / N), at % N];
        let sum = 0;
        for (let k = 0; k < K; k++) sum += data[row * K + k]! * weight[column * K + k]!;
        return sum;
      });
      expect(await run(executable, hostTensor(dtype, [M, K], data))).toEqual([expected]);
      await executable.dispose();
    });
  });
});
