import { colorOf, type Found } from "@pt2/vision";
import { element } from "./element.ts";

const list = element("found");
const count = element("count");

/** Shows what was found as a list, the surest first, and how much it is. */
export function listFound(things: readonly Found[]): void {
  count.textContent =
    things.length === 0 ? "Nothing found" : things.length === 1 ? "1 thing" : `${things.length} things`;
  list.replaceChildren(...things.map(row));
}

function row({ box, label, index, score }: Found): HTMLLIElement {
  const swatch = words("swatch", "");
  // As long as the score, in the color of the class.
  const bar = words("bar", "");
  bar.style.width = `${100 * score}%`;
  for (const colored of [swatch, bar]) colored.style.background = colorOf(index);
  const scale = words("scale", "");
  scale.append(bar);
  const item = document.createElement("li");
  const [x1, y1, x2, y2] = box.map(Math.round);
  item.title = `from ${x1}, ${y1} to ${x2}, ${y2}`;
  item.append(swatch, words("label", label), scale, words("score", `${Math.round(100 * score)} %`));
  return item;
}

function words(name: string, text: string): HTMLSpanElement {
  const span = document.createElement("span");
  span.className = name;
  span.textContent = text;
  return span;
}
