import type { BackendOffer } from "../backends.ts";
import { errorCard, isPt2Error } from "../page/error-card.ts";

/** What is to be said when a run fails: of the file, of inputs that do not fit, or of the backend, and which other one there is. */
export function failure(problem: unknown, chosen: BackendOffer, offered: readonly BackendOffer[]): HTMLElement {
  const code = isPt2Error(problem) ? problem.code : "";
  if (code.startsWith("format.")) return errorCard("The file cannot be read", problem);
  if (/^(runtime\.(call|input)|graph\.input)/.test(code))
    return errorCard("The inputs do not fit the program", problem);
  const other = offered.find((offer) => offer !== chosen && offer.missing === null);
  const hint = other && `${other.label} may run it: choose it above.`;
  return errorCard(`${chosen.label} could not run it`, problem, hint);
}
