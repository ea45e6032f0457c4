import { readFile } from "node:fs/promises";
import { compareTensor } from "@pt2/conformance";
import { fromBytes, readSafetensors } from "@pt2/format";
import { torchvision } from "@pt2/ops-torchvision";
import { HostTensor, load, type Tensor } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { fixturePath } from "./fixture.ts";

const PROGRAM = fixturePath("torchvision/head.pt2");
const { tensors } = await readSafetensors(
  fromBytes(new Uint8Array(await readFile(fixturePath("torchvision/head.safetensors")))),
);

/** A recorded tensor, or its first rows. */
function recorded(name: string, rows?: number): HostTensor {
  const { dtype, shape, bytes } = tensors.get(name)!;
  const size = rows === undefined ? bytes.length : (bytes.length / shape[0]!) * rows;
  return new HostTensor(dtype, rows === undefined ? shape : [rows, ...shape.slice(1)], bytes.slice(0, size));
}

/** Of a program of several ops, whose sums are in other orders. */
const TOLERANCE = { rtol: 1e-5, atol: 1e-6 };
const backends = await testedBackends();

describe("a program with ops of torchvision", () => {
  for (const { name, missing, create, precision } of backends) {
    it.skipIf(missing !== null)(
      `has the results of its kernels for several numbers of regions: ${name}${missing === null ? "" : ` (skipped: ${missing})`}`,
      async () => {
        const backend = await create();
        await using model = await load(PROGRAM, { backend, ops: [torchvision], ...(precision && { precision }) });
        for (const count of [1, 5, 16]) {
          const found = await model.forward<Tensor[]>(recorded("image"), recorded("boxes", count));
          for (const [i, result] of ["shares", "largest"].entries()) {
            const expected = recorded(`${result}.${count}`);
            const { dtype, shape } = expected;
            expect(await compareTensor(found[i]!, { dtype, shape, data: await expected.read() }, TOLERANCE)).toBeNull();
          }
        }
      },
    );
  }

  it("is refused without them, with the name of an op", async () => {
    const { create } = backends[0]!;
    await expect(load(PROGRAM, { backend: await create() })).rejects.toThrow(/torchvision::(roi_align|deform_conv2d)/);
  });
});
