import type { Element } from "@pt2/backend";

/** The digits of most texts. */
const FEWEST_DIGITS = 6;

/** The digits that tell any two float64 numbers apart. */
const MOST_DIGITS = 17;

/** Formats an element and another one with as many digits as tell them apart. */
export function elementTexts(one: Element, other: Element): readonly [string, string] {
  let digits = FEWEST_DIGITS;
  while (digits < MOST_DIGITS && !areApart(one, other, digits)) digits++;
  return [textOf(one, digits), textOf(other, digits)];
}

function areApart(one: Element, other: Element, digits: number): boolean {
  if (typeof one === "object" && typeof other === "object") {
    return areApart(one[0], other[0], digits) || areApart(one[1], other[1], digits);
  }
  if (typeof one !== "number" || typeof other !== "number") return true;
  return Number(one.toPrecision(digits)) !== Number(other.toPrecision(digits));
}

function textOf(element: Element, digits: number): string {
  if (typeof element === "object") return `${textOf(element[0], digits)}+${textOf(element[1], digits)}j`;
  if (typeof element === "bigint" || Number.isInteger(element)) return String(element);
  return element.toPrecision(digits);
}
