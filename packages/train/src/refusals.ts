// The errors for what cannot be trained, or trained with. Nothing here is needed where all is well.
import { Pt2Error } from "@pt2/format";
import type { LeafInfo } from "@pt2/runtime";
import { trainError } from "./train-errors.ts";
import type { TrainerOptions } from "./trainer-options.ts";

/** Refuses counts and limits that would leave nothing of the gradients, and an optimizer that is none. */
export function refuseNumbers({ optimizer, accumulate, clipNorm }: TrainerOptions): never {
  const fail = (what: string): never => {
    throw trainError("train.options", { what });
  };
  if (!(optimizer.lr >= 0)) fail("`optimizer` of createTrainer is not an optimizer, such as adamW() or sgd()");
  const isCount = accumulate === undefined || (Number.isInteger(accumulate) && accumulate > 0);
  if (!isCount) fail(`accumulate must be an integer from 1, not ${accumulate}`);
  return fail(`${clipNorm === 0 ? "clipNorm" : "clipValue"} must be above 0`);
}

export function refuseSource(source: unknown): never {
  throw trainError("train.options", {
    what: `The source is ${typeof source === "string" ? "a text" : "not an object with `program` and `weights`"}`,
    advice: 'Open a file first: createTrainer(await openProgram("model.pt2"), …), with openProgram of @pt2/runtime.',
  });
}

export function refuseParameters(names: readonly string[]): never {
  throw trainError("train.parameters", {
    what: "No parameter is trained",
    advice: `\`train\`, by default what requires gradients, refuses every name that the loss depends on; the program has ${names.slice(0, 10).join(", ")}.`,
  });
}

export function refuseBackend(name: string): never {
  throw trainError("train.backend", {
    what: `The backend \`${name}\` cannot give back what it has trained`,
    advice: "Use one with readState, such as wasm, webgpu or libtorch.",
  });
}

export function refuseFactor(factor: unknown, step: number): never {
  throw trainError("train.options", {
    what: `\`schedule\` must return a finite number that is not negative, and it returned ${factor} for step ${step}`,
    advice: "It gets the step, which counts from 1, and returns the factor of the learning rate.",
    details: { step },
  });
}

export function refuseBatch(batch: unknown, inputs: readonly LeafInfo[]): never {
  const names = inputs.map(({ name }) => name).join(", ");
  const given = Array.isArray(batch)
    ? `an array of ${batch.length}`
    : `${batch === undefined ? "nothing" : "no array"}`;
  throw trainError("train.batch", {
    what: `A batch has ${inputs.length} inputs (${names}), but got ${given}`,
    advice: `Pass an array: trainer.train([${names}]).`,
  });
}

/** Passes on why a step failed; where it is the sizes of a batch, with what a trainer can do about it. */
export function refuseStep(problem: unknown): never {
  if (!(problem instanceof Pt2Error) || problem.code !== "graph.input-shape") throw problem;
  throw trainError("train.batch", {
    what: problem.what,
    where: problem.where,
    advice:
      "Give batches of that shape, the last one too: a trainer computes with the sizes of the program, or of `shapes`.",
    details: problem.details,
    cause: problem,
  });
}

export function refuseBatches(batches: unknown): never {
  throw trainError("train.batch", {
    what: `The batches are ${typeof batches === "object" ? "an object that is" : `of type ${typeof batches},`} not iterable`,
    advice: "Pass an iterable of batches to fit(), also an asynchronous one, and one batch to train().",
  });
}
