import type { Program } from "@pt2/graph";
import { flatten } from "@pt2/graph";
import type { LeafInfo } from "@pt2/runtime";
import type { ModelDetails } from "../model/details.ts";
import { el } from "../page/dom.ts";
import { randomLeaves } from "./random.ts";
import { freeSizes, usualSizes } from "./sizes.ts";

/** Where the user chooses what a run is given. */
export interface InputChoice {
  readonly element: HTMLElement;
  /** Whether every field has a number that is allowed; leads to the first one that has not. */
  areValid(): boolean;
  /** The leaves of the call that was chosen. */
  leaves(): readonly unknown[];
  /** The choice in words. */
  describe(): string;
}

/** The example of the file, where it has one, or random numbers of sizes that the user may set. */
export function inputChoice({ program, report, sample }: ModelDetails): InputChoice {
  const { inputs } = report;
  const example = sample === undefined ? null : exampleLeaves(program, inputs, sample);
  const sizes = new Map(usualSizes(program, inputs, example));
  let useExample = example !== null;
  let seed = 1;

  const fields = [...freeSizes(program, inputs)].map(([name, { min, max }]) => {
    const [least, most] = [Number(min ?? 0), max === null ? null : Number(max)];
    const value = sizes.get(name)!;
    const field = el("input", { type: "number", min: least, max: most, value, step: 1, required: true });
    field.addEventListener("input", () => sizes.set(name, field.valueAsNumber));
    const range = most === null ? `at least ${least}` : `${least} … ${most}`;
    return el("label", { class: "field" }, el("span", {}, `Size ${name}`), field, el("span", { class: "note" }, range));
  });
  const seedField = el("input", { type: "number", min: 0, value: seed, step: 1 });
  seedField.addEventListener("input", () => {
    seed = seedField.valueAsNumber || 0;
  });
  const settings = el(
    "form",
    { class: "fields", hidden: useExample },
    ...fields,
    el("label", { class: "field" }, el("span", {}, "Seed"), seedField),
  );
  settings.addEventListener("submit", (event) => event.preventDefault());
  const choose = (isExample: boolean): void => {
    useExample = isExample;
    settings.hidden = isExample;
  };
  const radio = (label: string, isExample: boolean, disabled: boolean): HTMLElement => {
    const checked = useExample === isExample;
    const value = isExample ? "sample" : "random";
    const onchange = (): void => choose(isExample);
    const input = el("input", { type: "radio", name: "inputs", value, checked, disabled, onchange });
    return el("label", {}, input, el("span", {}, label));
  };
  const choices = el(
    "div",
    { class: "segmented", role: "radiogroup", "aria-label": "Inputs" },
    radio("Sample inputs", true, example === null),
    radio("Random inputs", false, false),
  );
  const note = el("p", { class: "note" }, inputs.length === 0 ? "The program takes no inputs." : NO_EXAMPLE);
  const element = inputs.length === 0 ? note : el("div", {}, choices, example === null ? note : null, settings);
  return {
    element,
    areValid: () => useExample || settings.reportValidity(),
    leaves: () => (useExample ? example! : randomLeaves(program, inputs, sizes, seed)),
    describe() {
      if (inputs.length === 0) return "no inputs";
      return useExample ? "the sample inputs of the file" : `random inputs (seed ${seed})`;
    },
  };
}

const NO_EXAMPLE = "The file has no sample inputs.";

function exampleLeaves(
  { inSpec, namedTuples }: Program,
  inputs: readonly LeafInfo[],
  call: NonNullable<ModelDetails["sample"]>,
): readonly unknown[] | null {
  if ("leaves" in call) return call.leaves;
  const { args = [], kwargs = {} } = call;
  try {
    const leaves = inSpec === null ? args : flatten(inSpec, args, kwargs, { namedTuples });
    return leaves.length === inputs.length ? leaves : null;
  } catch {
    return null;
  }
}
