import type { TreeSpec } from "@pt2/format";
import { countLeaves, isGradient, type Program, type SymRange } from "@pt2/graph";
import { describeType, inputsOf, type LeafInfo, outputsOf } from "@pt2/runtime";
import { leafType } from "./leaf-type.ts";
import { commentText, elementLabel, stringLiteral } from "./quote.ts";
import { docComment, objectType, type Property, TreeTypes, tupleType } from "./tree-type.ts";

/** Writes the `.d.ts` of a model: an interface for `load<Name>(…)`, and one of its parameters. */
export function declareModel(program: Program, name: string): string {
  const { ranges } = program;
  const parameters = parametersOf(program);
  const argsName = `${name}Parameters`;
  const output = outputType(program);
  const positional = parameters.filter(({ keyword }) => !keyword);
  const keywords = parameters.filter(({ keyword }) => keyword);
  const body = [
    `export interface ${name} extends ModelTypes {`,
    `  readonly parameters: ${argsName};`,
    `  readonly args: ${tupleType(
      positional.map((one, i) => element(one, i, positional, argsName)),
      "  ",
    )};`,
    `  readonly kwargs: ${pick(keywords, argsName)};`,
    `  readonly output: ${output};`,
    ...stepLines(program, output),
    "}",
  ];
  const about = [
    "The types of the model's calls, for `load` of `@pt2/runtime`. Written by `pt2 types`.",
    ...sizeLines(program, ranges),
  ];
  const declarations = [
    ...docComment(["The parameters of `forward` by name."]),
    `export interface ${argsName} ${interfaceBody(parameters)}`,
    "",
    ...docComment(about),
    ...body,
  ].join("\n");
  const imported = ["ModelTypes", "TensorInput", "TensorOutput"].filter((type) =>
    new RegExp(`\\b${type}\\b`).test(declarations),
  );
  return `import type { ${imported.join(", ")} } from "@pt2/runtime";\n\n${declarations}\n`;
}

interface Parameter extends Property {
  readonly keyword: boolean;
  readonly about: readonly string[];
}

function parametersOf(program: Program): readonly Parameter[] {
  const { inSpec, forwardArgs, namedTuples } = program;
  const leaves = inputsOf(program);
  const types = new TreeTypes(leaves, namedTuples, "input");
  const [positional, keyword] = inSpec?.children ?? [];
  if (positional === undefined || keyword === undefined) {
    return leaves.map((leaf) => ({
      name: leaf.name,
      type: leafType(leaf.type, "input"),
      keyword: false,
      about: [aboutLeaf(leaf)],
    }));
  }
  const parameter = (spec: TreeSpec, name: string, isKeyword: boolean): Parameter => {
    const own = types.rest().slice(0, countLeaves(spec));
    const optional = own.every(({ type }) => type.kind === "constant");
    const type = types.next(spec, "  ");
    const about = spec.type === null ? own.map(aboutLeaf) : [];
    return { name, type: optional ? orNull(type) : type, keyword: isKeyword, optional, about };
  };
  const names = Array.isArray(keyword.context) ? keyword.context.map(String) : [];
  return [
    ...positional.children.map((spec, i) => parameter(spec, forwardArgs[i] ?? `args[${i}]`, false)),
    ...keyword.children.map((spec, i) => parameter(spec, names[i] ?? `kwargs[${i}]`, true)),
  ];
}

function orNull(type: string): string {
  return /(^|\| )null$/.test(type) ? type : `${type} | null`;
}

function aboutLeaf({ type }: LeafInfo): string {
  const text = commentText(describeType(type));
  return type.kind === "constant" ? `Fixed at export to ${text.slice("the constant ".length)}; may be omitted.` : text;
}

/** Writes one element of the arguments: optional if it and all that follow may be omitted. */
function element(one: Parameter, at: number, all: readonly Parameter[], argsName: string): string {
  const label = elementLabel(one.name, at);
  const optional = all.slice(at).every((other) => other.optional === true);
  const isLast = all.findLastIndex(({ name }) => name === one.name) === at;
  const type = isLast ? `${argsName}[${stringLiteral(one.name)}]` : one.type;
  return `${label}${optional ? "?" : ""}: ${type}`;
}

function pick(parameters: readonly Parameter[], argsName: string): string {
  if (parameters.length === 0) return "Record<string, never>";
  return `Pick<${argsName}, ${parameters.map(({ name }) => stringLiteral(name)).join(" | ")}>`;
}

function interfaceBody(parameters: readonly Parameter[]): string {
  return parameters.length === 0 ? "{}" : objectType(parameters);
}

function outputType(program: Program): string {
  const { outSpec, namedTuples } = program;
  const results = outputsOf(program).filter(({ kind }) => kind === "user_output" || kind === "loss_output");
  return outSpec === null
    ? tupleType(
        results.map(({ type }) => leafType(type, "output")),
        "  ",
      )
    : new TreeTypes(results, namedTuples, "output").next(outSpec, "  ");
}

/** Writes what a step of a program of forward and backward returns; empty for other programs. */
function stepLines(program: Program, output: string): readonly string[] {
  const all = outputsOf(program);
  const loss = all.find(({ kind }) => kind === "loss_output");
  if (loss === undefined || !program.outputs.some(isGradient)) return [];
  const gradients = (kind: "gradient_to_parameter" | "gradient_to_user_input"): string =>
    objectType(
      all
        .filter((leaf) => leaf.kind === kind)
        .map(({ name, type }) => ({ name: name.replace(/\.grad$/, ""), type: leafType(type, "output") })),
      "    ",
    );
  return [
    "  readonly step: {",
    `    readonly loss: ${leafType(loss.type, "output")};`,
    `    readonly outputs: ${output.replaceAll("\n", "\n  ")};`,
    `    readonly gradients: ${gradients("gradient_to_parameter")};`,
    `    readonly inputGradients: ${gradients("gradient_to_user_input")};`,
    "  };",
  ];
}

/** Describes the symbols that occur in shapes, with their ranges. */
function sizeLines(program: Program, ranges: ReadonlyMap<string, SymRange>): readonly string[] {
  const leaves = [...inputsOf(program), ...outputsOf(program)];
  const sizes = leaves.flatMap(({ type }) => (type.kind === "tensor" ? type.shape : []));
  const texts = sizes.filter((size) => typeof size === "string");
  const symbols = new Set(texts.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
  const lines = [...ranges].flatMap(([name, range]) =>
    symbols.has(name) || texts.includes(name) ? [`- \`${commentText(name)}\`: ${rangeWords(range)}`] : [],
  );
  return lines.length === 0 ? [] : ["", "Symbolic sizes:", ...lines];
}

function rangeWords({ min, max }: SymRange): string {
  if (max === null) return `at least ${min ?? 0}`;
  return `${min ?? 0} to ${max}`;
}
