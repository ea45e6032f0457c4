import type { UnsupportedOp } from "@pt2/backend";
import { plural } from "@pt2/cli";
import type { Program } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { atenOnDemand } from "@pt2/registry/on-demand";
import { prepare } from "@pt2/runtime";
import { type BackendOffer, backend, offers } from "../backends.ts";

/** Whether a backend can run a program. */
export interface Coverage {
  readonly offer: BackendOffer;
  /** What it cannot run; null where the backend itself is not to be had. */
  readonly missing: readonly UnsupportedOp[] | null;
}

/** The backends that can run the program; of the others why not. */
export function offersFor(coverage: readonly Coverage[]): readonly BackendOffer[] {
  return coverage.map(({ offer, missing }) => {
    const count = missing?.length ?? 0;
    const lacks = `${offer.label} lacks ${plural(count, "op")} of this program.`;
    return count === 0 ? offer : { ...offer, missing: lacks };
  });
}

/** Asks every backend, after the passes that precede it. Reads no weights. */
export async function coverageOf(program: Program): Promise<readonly Coverage[]> {
  const registry = createRegistry({ sets: atenOnDemand });
  return await Promise.all(
    (await offers()).map(async (offer) => {
      if (offer.missing !== null) return { offer, missing: null };
      try {
        const asked = await backend(offer.id);
        const prepared = await prepare(program, registry, asked.capabilities);
        return { offer, missing: await asked.unsupported(prepared, registry) };
      } catch (problem) {
        const [why] = String(problem instanceof Error ? problem.message : problem).split("\n");
        return { offer: { ...offer, missing: `${offer.label} did not start: ${why}.` }, missing: null };
      }
    }),
  );
}
