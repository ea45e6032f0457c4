import { type OpSchema, printType, type SchemaType } from "@pt2/registry";

/**
 * Sorts overloads in the order in which PyTorch's Python bindings try them: by their signatures, except that of two
 * overloads with the same number of arguments the one that takes more general arguments comes first.
 */
export function inParserOrder<Item>(items: readonly Item[], schemaOf: (item: Item) => OpSchema): readonly Item[] {
  const byText = [...items].sort((a, b) => compare(signatureOf(schemaOf(a)), signatureOf(schemaOf(b))));
  const sorted: Item[] = [];
  const left = new Set(byText);
  const waits = (item: Item): boolean =>
    [...left].some((other) => other !== item && isSmaller(schemaOf(item), schemaOf(other)));
  while (left.size > 0) {
    const ready = [...left].filter((item) => !waits(item));
    for (const item of ready.length > 0 ? ready : left) {
      sorted.push(item);
      left.delete(item);
    }
  }
  return sorted;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The signature as the Python bindings write it, with the types of C++. */
function signatureOf({ args }: OpSchema): string {
  const parts: string[] = [];
  let keywords = false;
  for (const { name, type, kwargOnly, default: value } of args) {
    if (kwargOnly && !keywords) parts.push("*");
    keywords ||= kwargOnly;
    parts.push(`${boundType(type)} ${name === "self" ? "input" : name}${value === undefined ? "" : "="}`);
  }
  return parts.join(", ");
}

const BOUND: Readonly<Record<string, string>> = {
  int: "int64_t",
  float: "double",
  str: "c10::string_view",
  "Tensor[]": "TensorList",
  "int[]": "IntArrayRef",
  "SymInt[]": "SymIntArrayRef",
  "float[]": "ArrayRef<double>",
};

function boundType(type: SchemaType): string {
  if (type.kind === "optional") return `${boundType(type.inner)}?`;
  if (type.kind !== "list") return BOUND[printType(type)] ?? printType(type);
  const item = `${printType(type.inner)}[]`;
  return `${BOUND[item] ?? item}${type.size === null ? "" : `[${type.size}]`}`;
}

function isSmaller(a: OpSchema, b: OpSchema): boolean {
  if (a.args.length !== b.args.length) return false;
  let equal = true;
  for (const [i, { type }] of a.args.entries()) {
    const [one, other] = [printType(type), printType(b.args[i]!.type)];
    if (one === other) continue;
    equal = false;
    if (!isSmallerType(one, other)) return false;
  }
  return !equal;
}

/** Whether the parser must try the type `b` before `a`: a tensor before a number, an int before a list of ints. */
function isSmallerType(a: string, b: string): boolean {
  if (a === "Scalar" || a === "int" || a === "SymInt") return b === "Tensor";
  if (a === "Scalar?") return b === "Tensor?";
  if (a === "int[]") return b === "int" || b === "int?";
  if (a === "SymInt[]") return b === "int[]";
  return a === "Tensor[]" && b.includes("[]");
}
