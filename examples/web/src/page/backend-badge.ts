import { type BackendOffer, bestOf } from "../backends.ts";
import { byId, el, fill } from "./dom.ts";

/** Shows in the page's header which backend runs models; a press shows details. */
export function initBackendBadge(offered: readonly BackendOffer[]): void {
  const best = bestOf(offered)!;
  const badge = byId("gpu");
  badge.textContent = best.id === "webgpu" ? best.label : `No WebGPU: ${best.label}`;
  badge.classList.toggle("yes", best.id === "webgpu");
  badge.hidden = false;
  const rows = offered.flatMap((offer) => [
    el("dt", {}, offer.label),
    el(
      "dd",
      {},
      offer.missing ?? offer.about,
      offer === best ? " Models run on it unless you choose otherwise." : null,
    ),
  ]);
  fill(byId("gpu-info"), el("h2", {}, "What runs models here"), el("dl", {}, ...rows));
}
