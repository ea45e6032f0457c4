import { describe, expect, it } from "vitest";
import { adadelta, adagrad, adam, adamW, cosine, rmsprop, sgd, stepDecay } from "./index.ts";

/** The message of an error with the code `train.options`. */
function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    expect(error).toMatchObject({ code: "train.options" });
    return (error as { readonly what: string }).what;
  }
  return "accepted";
}

/** Options as callers in plain JavaScript may write them. */
const any = (options: unknown): never => options as never;

describe("options of optimizers", () => {
  it("unknown names are refused, with the one that was probably meant", () => {
    expect(refusal(() => adamW(any({ weight_decay: 0.1 })))).toBe(
      "AdamW does not take `{ weight_decay: 0.1 }`; did you mean `weightDecay`?",
    );
    expect(refusal(() => sgd(any({ momentun: 0.9 })))).toBe(
      "SGD does not take `{ momentun: 0.9 }`; did you mean `momentum`?",
    );
    expect(() => sgd(any({ learningRate: 0.1 }))).toThrow(
      "SGD does not take `{ learningRate: 0.1 }`\n  what to do: Its options are { lr: number from 0, weightDecay: number from 0, maximize: boolean, momentum: number from 0, dampening: finite number, nesterov: boolean }.",
    );
    expect(refusal(() => adam(any({ toString: 1 })))).toBe("Adam does not take `{ toString: 1 }`");
  });

  it("numbers are refused where torch.optim refuses them, and where they are not numbers", () => {
    const refused = (owner: string, given: string): string => `${owner} does not take \`{ ${given} }\``;
    expect(refusal(() => sgd({ lr: -1 }))).toBe(refused("SGD", "lr: -1"));
    expect(refusal(() => sgd({ momentum: Number.NaN }))).toBe(refused("SGD", "momentum: NaN"));
    expect(refusal(() => sgd({ momentum: -1 }))).toBe(refused("SGD", "momentum: -1"));
    expect(refusal(() => sgd({ dampening: Number.NaN }))).toBe(refused("SGD", "dampening: NaN"));
    expect(refusal(() => adam({ eps: -1 }))).toBe(refused("Adam", "eps: -1"));
    expect(refusal(() => adamW({ weightDecay: -1 }))).toBe(refused("AdamW", "weightDecay: -1"));
    expect(refusal(() => rmsprop({ alpha: -1 }))).toBe(refused("RMSprop", "alpha: -1"));
    expect(refusal(() => adagrad({ lrDecay: -1 }))).toBe(refused("Adagrad", "lrDecay: -1"));
    expect(refusal(() => adagrad({ initialAccumulatorValue: Infinity }))).toBe(
      refused("Adagrad", "initialAccumulatorValue: Infinity"),
    );
    expect(refusal(() => adadelta({ rho: -0.1 }))).toBe(refused("Adadelta", "rho: -0.1"));
    expect(refusal(() => adadelta({ rho: 1.5 }))).toBe("rho must be from 0 to 1, not 1.5");
    expect(refusal(() => sgd(any({ lr: "0.1" })))).toBe(refused("SGD", 'lr: "0.1"'));
    expect(refusal(() => sgd(any({ lr: null })))).toBe(refused("SGD", "lr: null"));
    expect(refusal(() => sgd(any({ nesterov: 1 })))).toBe(refused("SGD", "nesterov: 1"));
    for (const betas of [[1.5, 0.9], [0.9], [0.9, "0.99"], {}])
      expect(refusal(() => adam(any({ betas })))).toMatch(/betas/);
  });

  it("options are an object, and what is undefined has its default", () => {
    expect(refusal(() => sgd(any(null)))).toBe("SGD does not take `null`");
    expect(refusal(() => cosine(any(5)))).toBe("cosine() does not take `5`");
    expect(sgd(any({ lr: undefined })).lr).toBe(1e-3);
    expect(adamW().weightDecay).toBe(1e-2);
    expect(sgd({ momentum: 0.9, dampening: -0.5 }).maximize).toBe(false);
  });
});

describe("options of schedules", () => {
  it("what leaves a rate undefined is refused", () => {
    expect(refusal(() => cosine(any({})))).toBe("cosine() needs the option `steps`");
    expect(refusal(() => cosine({ steps: -3 }))).toContain("{ steps: -3 }");
    expect(refusal(() => cosine({ steps: 3, warmup: Number.NaN }))).toContain("{ warmup: NaN }");
    expect(refusal(() => cosine(any({ step: 3 })))).toBe("cosine() needs the option `steps`");
    expect(refusal(() => stepDecay(any({})))).toBe("stepDecay() needs the option `size`");
    expect(refusal(() => stepDecay({ size: 0 }))).toBe("`size` of stepDecay must be above 0");
    expect(stepDecay({ size: 2 })(3)).toBeCloseTo(0.1);
  });
});
