import { trainError } from "./train-errors.ts";

type Options = Readonly<Record<string, unknown>>;

/**
 * Checks options of `owner`: each is one of `known`, whose values are examples of the right kind, where null stands for
 * any. Numbers are finite, unless the example is not, and not negative, as in `torch.optim`.
 */
export function checkOptions(owner: string, known: object, given: unknown, required?: string): void {
  const [examples, values]: readonly [Options, Options] = isLike(given, {})
    ? [known as Options, { ...(required && { [required]: undefined }), ...(given as Options) }]
    : [{ options: {} }, { options: given ?? null }];
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(values)) {
    const isKnown = Object.hasOwn(examples, name);
    if (isKnown && (isLike(value, examples[name], name) || (value === undefined && name !== required))) continue;
    const near = names.find((each) =>
      isNear(name.toLowerCase(), each.toLowerCase(), Math.min(2, (name.length - 1) >> 1)),
    );
    const [right, kind] = [kindOf(examples[name]), kindOf(value)];
    const expected = right === "Number" ? "a finite number that is not negative" : `of type ${right}`;
    throw trainError("train.options", {
      what: isKnown
        ? `\`${name}\` of ${owner} must be ${expected}, not ${right === kind ? value : kind}`
        : `${owner} has no option \`${name}\`${near ? `; did you mean \`${near}\`?` : ""}`,
      advice: `The options are ${names.join(", ")}.`,
      details: { name },
    });
  }
}

/** Returns options with the defaults of those that are not given, after {@link checkOptions}. */
export function withDefaults<Given extends object>(
  owner: string,
  defaults: Required<Given>,
  given: Given,
): Required<Given> {
  checkOptions(owner, defaults, given);
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(present) };
}

function isLike(value: unknown, example: unknown, name?: string): boolean {
  if (example === null || value === example) return true;
  if (kindOf(value) !== kindOf(example)) return false;
  // PyTorch lets a dampening be negative.
  return typeof value !== "number" || (Number.isFinite(value) && (value >= 0 || name === "dampening"));
}

/** `Number`, `Function` (`AsyncFunction` is another one), `Map`, and so on. */
function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Returns whether so many insertions, deletions and substitutions make one text the other. */
function isNear(a: string, b: string, edits: number): boolean {
  if (edits < 0) return false;
  if (a === "" || b === "") return a.length + b.length <= edits;
  const [x, y] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return isNear(x, y, edits);
  return isNear(x, y, edits - 1) || isNear(x, b, edits - 1) || isNear(a, y, edits - 1);
}
