import { element } from "./element.ts";
import { wordsFor } from "./words.ts";

const status = element("status");

/** Says what the page does, or has done. */
export function say(text: string): void {
  status.textContent = text;
  status.className = "";
}

/** Says what went wrong, and what to do. */
export function sayProblem(problem: unknown): void {
  console.info(problem);
  status.textContent = wordsFor(problem);
  status.className = "problem";
}

/** Shows how long one picture took, and how many a camera's are answered a second; null: not known. */
export function showTimes(milliseconds: number | null, rate: number | null): void {
  element("milliseconds").textContent =
    milliseconds === null ? "–" : `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
  element("rate").textContent = rate === null ? "–" : rate.toFixed(1);
}

/** Shows which detector answers, and what it finds. */
export function showModel(name: string, labels: readonly string[]): void {
  element("model-name").textContent = name;
  const first = labels.slice(0, 24).join(", ");
  element("model-facts").textContent =
    `Finds ${labels.length} kinds of things: ${first}${labels.length > 24 ? ", …" : "."}`;
}
