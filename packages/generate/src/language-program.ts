import { type Arg, isModuleResult, type OutputSpec, type Program } from "@pt2/graph";
import { inputsOf, type LeafInfo, outputsOf } from "@pt2/runtime";
import { generateError } from "./generate-errors.ts";
import { lastRow } from "./last-row.ts";
import { hasEncoder, type Role, requireOneSequence, rolesOf } from "./roles.ts";

/** A program that tells of a text what comes next. */
export interface LanguageProgram {
  /** It returns the logits of what follows the last token, float32 [1, vocabulary], and then caches. */
  readonly program: Program;
  /** The leaves of a call, in flattened order. */
  readonly roles: readonly Role[];
  /** The names of the caches that it returns, in order; others stay as they are. */
  readonly returned: readonly string[];
  /** How many tokens a call takes; null: any number. */
  readonly queries: number | null;
  /** The least tokens of a text, with the new ones, that a call takes. */
  readonly least: number;
}

/** Makes of a program as transformers exports it one that returns the logits of the last token alone. */
export function languageProgram(program: Program): LanguageProgram {
  const leaves = inputsOf(program);
  requireOneSequence(leaves);
  const roles = rolesOf(leaves);
  const tokens = leaves[roles.findIndex(({ kind }) => kind === "tokens")]!.type;
  const queries = tokens.kind === "tensor" && typeof tokens.shape[1] === "number" ? tokens.shape[1] : null;
  const results = outputsOf(program);
  const logits = results.find(({ name, type }) => isLogits(name) && type.kind === "tensor" && type.shape.length === 3);
  if (logits?.value == null) {
    throw generateError("generate.program", {
      what: "The program returns no `logits`, [sequences, tokens, vocabulary]",
      where: `its results: ${results.map(({ name }) => name).join(", ")}`,
      advice: "export the model with its head for language, such as AutoModelForCausalLM",
    });
  }
  // What a decoder has read of its encoder stays as it is.
  const unchanged = new Set(leaves.map(({ value }) => value));
  const caches = results.flatMap(({ name, value, type }, at) =>
    /^output\.\w+[.[]/.test(name) && type.kind === "tensor" && !unchanged.has(value)
      ? [{ name: name.slice("output.".length), at }]
      : [],
  );
  return {
    program: withResults(
      program,
      logits.value,
      caches.map(({ at }) => at),
    ),
    roles,
    returned: caches.map(({ name }) => name),
    queries,
    least: leastText(leaves, program.ranges),
  };
}

/** By the range of the mask's length. A bound of 2 was assumed by the export, and is no bound. */
function leastText(leaves: readonly LeafInfo[], ranges: Program["ranges"]): number {
  const own = hasEncoder(leaves) ? "decoder_attention_mask" : "attention_mask";
  const mask = leaves.find(({ name }) => name === own)?.type;
  const min = mask?.kind === "tensor" ? (ranges.get(String(mask.shape.at(-1)))?.min ?? 0) : 0;
  return min > 2 ? Number(min) : 1;
}

function isLogits(name: string): boolean {
  return name === "output.logits" || name === "output" || name === "output[0]";
}

/** The program whose results are the last row of the logits in float32, and some of the others; what it writes stays. */
function withResults(program: Program, logits: string, others: readonly number[]): Program {
  const written = program.outputs.flatMap((spec, at) =>
    isModuleResult(spec) ? [] : [{ spec, arg: program.graph.outputs[at]! }],
  );
  const results = program.outputs.flatMap((spec, at) => (isModuleResult(spec) ? [program.graph.outputs[at]!] : []));
  const last = lastRow(program.graph, logits);
  const kept: readonly Arg[] = [{ kind: "value", name: last.logits }, ...others.map((at) => results[at]!)];
  const user: OutputSpec = { kind: "user_output" };
  return {
    ...program,
    graph: { ...last.graph, outputs: [...written.map(({ arg }) => arg), ...kept] },
    outputs: [...written.map(({ spec }) => spec), ...kept.map(() => user)],
    outSpec: null,
  };
}
