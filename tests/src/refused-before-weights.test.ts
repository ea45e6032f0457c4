import { type ByteSource, formatProgram, fromBytes, openArchive } from "@pt2/format";
import { load } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { editFixture } from "./edit-fixture.ts";

type Range = readonly [from: number, to: number];

/** Makes a source that records what was read of it, as a server would. */
function remembering(bytes: Uint8Array): { readonly source: ByteSource; readonly reads: readonly Range[] } {
  const reads: Range[] = [];
  const whole = fromBytes(bytes);
  const source: ByteSource = {
    size: whole.size,
    read: (offset, length, options) => {
      reads.push([offset, offset + length]);
      return whole.read(offset, length, options);
    },
  };
  return { source, reads };
}

/** Returns the ops of an archive in memory, and the ranges of its weights. */
async function contentsOf(
  bytes: Uint8Array,
): Promise<{ readonly ops: readonly string[]; readonly weights: readonly Range[] }> {
  const archive = await openArchive(fromBytes(bytes));
  const found = formatProgram(await archive.program()).matchAll(/torch\.ops\.mine\.(\w+)\.(\w+)/g);
  const ops = [...found].map(([, op, overload]) => `mine::${op}${overload === "default" ? "" : `.${overload}`}`);
  const storages = [...(await archive.weights()).values()].map(({ storage }) => storage.read());
  const weights = (await Promise.all(storages)).map(({ byteOffset, byteLength }): Range => {
    const at = byteOffset - bytes.byteOffset;
    return [at, at + byteLength];
  });
  return { ops: [...new Set(ops)].sort(), weights };
}

/** Returns how many bytes of the first ranges are in the others. */
function overlap(some: readonly Range[], others: readonly Range[]): number {
  const common = ([a, b]: Range, [c, d]: Range): number => Math.max(0, Math.min(b, d) - Math.max(a, c));
  return some.reduce((sum, one) => sum + others.reduce((part, other) => part + common(one, other), 0), 0);
}

for (const { name, missing, create } of await testedBackends()) {
  describe(`what ${name} cannot run`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    it("an op that cannot run is named before a weight is downloaded", async () => {
      // The file is larger than the part of its end that is read to find its directory.
      const bytes = await editFixture("torch-2.13/lstm_aten", "torch.ops.aten.", "torch.ops.mine.");
      const { ops, weights } = await contentsOf(bytes);
      const { source, reads } = remembering(bytes);
      const problem = await load(source, { backend: await create() }).catch((error: unknown) => error);
      expect(problem).toMatchObject({ code: "runtime.unsupported-ops" });
      const { unsupported } = (problem as { readonly details: { readonly unsupported: readonly { op: string }[] } })
        .details;
      expect(unsupported.map(({ op }) => op).sort()).toEqual(ops);
      const total = weights.reduce((sum, [from, to]) => sum + to - from, 0);
      // A read of the entry after the last weight may begin within that weight.
      expect(overlap(weights, reads)).toBeLessThan(total / 100);
    });
  });
}
