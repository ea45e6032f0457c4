import { hostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { expect, test } from "vitest";
import { WasmBackend } from "./backend.ts";

const registry = registryOf();

// The imaginary part of a negative real number decides whether its angle is π or -π.
test.each([9, 12])("the ends of the spectrum of %i real numbers are real, and never negative zeros", async (n) => {
  const half = Math.floor(n / 2) + 1;
  const program = programOf(`
    user_input %x: f32[3, ${n}]
    %a: c64[3, ${n}] = aten::fft_fft(self=%x)
    %b: c64[3, ${half}] = aten::fft_rfft(self=%x)
    %p: f32[3, ${n}] = aten::angle(self=%a)
    %q: f32[3, ${half}] = aten::angle(self=%b)
    return %p, %q`);
  await using backend = new WasmBackend();
  const executable = await backend.compile({ program, weights: weightsOf({}), registry });
  const x = Float32Array.from({ length: 3 * n }, (_, i) => -1.3 + 0.7 * Math.sin(i * i));
  const angles = await executable.run([hostTensor("float32", [3, n], x)]);
  for (const angle of angles) {
    const { data } = angle as unknown as { readonly data: Float32Array };
    expect(data[0]).toBeCloseTo(Math.PI, 6);
  }
});
