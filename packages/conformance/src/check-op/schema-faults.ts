import type { OpRecord, SchemaType } from "@pt2/registry";
import type { FoundFault } from "./fault.ts";

/** Returns what in the rules of an op contradicts its schema. */
export function schemaFaults({ schema, ...rules }: OpRecord): readonly FoundFault[] {
  const { scalar, view, infer, decompose } = rules;
  const faults: FoundFault[] = [];
  const add = (what: string, advice: string): void => {
    faults.push({ kind: "schema", what, advice });
  };
  const names = schema.args.map(({ name }) => name);
  if (scalar !== undefined && scalar.length > names.length) {
    add(
      `\`scalar\` takes ${scalar.length} operands, and the schema has ${names.length}: ${names.join(", ")}`,
      "Give `scalar` one parameter for each argument of the schema, in its order.",
    );
  }
  const [only] = schema.returns;
  if (scalar !== undefined && (schema.returns.length !== 1 || !isTensorType(only!.type))) {
    add("`scalar` computes one tensor, and the schema returns something else", "Let the schema end in `-> Tensor`.");
  }
  if (view !== undefined && !(names.length > 0 && isTensorType(schema.args[0]!.type))) {
    add("`view` views the first argument, which is not a tensor", "Make the tensor the first argument of the schema.");
  }
  const defining = Object.entries({ scalar, view, infer }).filter(([, rule]) => rule !== undefined);
  if (defining.length > 1) {
    add(
      `${defining.map(([name]) => `\`${name}\``).join(" and ")} define the shapes of the results more than once`,
      "Keep one of them.",
    );
  }
  if (defining.length === 0 && decompose === undefined) {
    add(
      "no rule says which dtypes and shapes the results have",
      "Give it `scalar`, `view` or `decompose`, or `infer` if only kernels compute it.",
    );
  }
  const refersTo = [...(rules.mutates ?? []), ...Object.keys(rules.requires?.kinds ?? {})];
  for (const name of refersTo.filter((each) => !names.includes(each))) {
    add(`a rule names the argument \`${name}\`, which the schema does not have`, `Write one of ${names.join(", ")}.`);
  }
  return faults;
}

function isTensorType(type: SchemaType): boolean {
  return type.kind === "base" && type.base === "Tensor";
}
