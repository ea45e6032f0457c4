import { numel } from "@pt2/backend";
import { type HostKernel, hostKernel } from "./host-kernel.ts";

/** `nonzero_static(self, size, fill_value)`: the places of the first `size` elements that are not zero. */
export const nonzeroStatic: HostKernel = hostKernel(["aten::nonzero_static"], (call, { self, fill_value }) => {
  const { shape, data } = call.array(self);
  // The parts of complex elements alternate.
  const parts = data.length / Math.max(1, numel(shape));
  const [size, rank] = call.shape(0) as readonly [number, number];
  const out = new Float64Array(size * rank).fill(fill_value);
  let row = 0;
  for (let flat = 0; flat * parts < data.length && row < size; flat++) {
    if (data[flat * parts] === 0 && data[flat * parts + parts - 1] === 0) continue;
    let rest = flat;
    for (let d = rank - 1; d >= 0; d--) {
      out[row * rank + d] = rest % shape[d]!;
      rest = Math.floor(rest / shape[d]!);
    }
    row++;
  }
  return [out];
});
