import type { OpName, Program } from "../ir.ts";
import { requireProgram } from "../validate/require-program.ts";
import { expandAutocast } from "./autocast/expand-autocast.ts";
import { expandVmap } from "./expand-vmap.ts";
import { expandAutoFunctionalized, type OpEffectsOnDemand } from "./functionalize/expand-auto-functionalized.ts";
import { expandEffects } from "./functionalize/expand-effects.ts";
import { expandOutDtype, type OpSchemas } from "./functionalize/expand-out-dtype.ts";
import { fitMutations } from "./functionalize/fit-mutations.ts";
import { replaceInPlaceViews } from "./functionalize/replace-in-place-views.ts";
import { hasInPlaceViews } from "./has-in-place-views.ts";
import { hasRegions } from "./has-regions.ts";

/**
 * Expands what has another meaning than the ops in it: automatic casts, batched calls, calls that write to copies,
 * and results of another dtype and calls that effect tokens order, which a backend with PyTorch's dispatcher computes itself. New values of buffers become what fits there, and in-place views
 * become views.
 */
export async function expandRegions(
  program: Program,
  registry: OpSchemas & OpEffectsOnDemand & { isClaimed(op: OpName): boolean },
  dispatches: boolean,
): Promise<Program> {
  requireProgram("expandRegions()", program);
  const [regions, views] = [hasRegions(program.graph), hasInPlaceViews(program.graph)];
  const cast = regions ? expandVmap(expandAutocast(await expandAutoFunctionalized(program, registry))) : program;
  const called = regions && !dispatches ? await expandEffects(await expandOutDtype(cast, registry), registry) : cast;
  const expanded = fitMutations(called);
  return views ? replaceInPlaceViews(expanded, registry.isClaimed) : expanded;
}
