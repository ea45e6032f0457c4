import { type BackendOffer, bestOf } from "../backends.ts";
import { el, fill } from "./dom.ts";

let groups = 0;

/** Buttons for the backends that can be had, the best one chosen; of the others it says why they cannot. */
export function backendChoice(
  place: HTMLElement,
  offered: readonly BackendOffer[],
  onChoice: (offer: BackendOffer) => void,
): void {
  const name = `backend-${++groups}`;
  const best = bestOf(offered);
  const choices = offered.map((offer) => {
    const { id, label, missing } = offer;
    const input = el("input", {
      type: "radio",
      name,
      value: id,
      checked: offer === best,
      disabled: missing !== null,
      onchange: () => onChoice(offer),
    });
    return el("label", missing === null ? {} : { title: missing }, input, el("span", {}, label));
  });
  const instead = best === undefined ? "" : ` Running on ${best.label} instead.`;
  const refused = offered.flatMap(({ missing }) => missing ?? []);
  fill(
    place,
    el("div", { class: "segmented", role: "radiogroup", "aria-label": "Run on" }, ...choices),
    ...refused.map((why, i) => el("p", { class: "note" }, i === refused.length - 1 ? `${why}${instead}` : why)),
  );
}
