import { describe, expect, it } from "vitest";
import { adagrad, adam, adamW, cosine, rmsprop, sgd, stepDecay } from "./index.ts";

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
      "AdamW has no option `weight_decay`; did you mean `weightDecay`?",
    );
    expect(refusal(() => sgd(any({ momentun: 0.9 })))).toBe("SGD has no option `momentun`; did you mean `momentum`?");
    expect(() => sgd(any({ learningRate: 0.1 }))).toThrow(
      "SGD has no option `learningRate`\n  what to do: The options are lr, weightDecay, maximize, momentum, dampening, nesterov.",
    );
    expect(refusal(() => adam(any({ toString: 1 })))).toBe("Adam has no option `toString`");
  });

  it("numbers are refused where torch.optim refuses them, and where they are none", () => {
    const number = "must be a finite number that is not negative, not";
    expect(refusal(() => sgd({ lr: -1 }))).toBe(`\`lr\` of SGD ${number} -1`);
    expect(refusal(() => sgd({ momentum: Number.NaN }))).toBe(`\`momentum\` of SGD ${number} NaN`);
    expect(refusal(() => sgd({ momentum: -1 }))).toBe(`\`momentum\` of SGD ${number} -1`);
    expect(refusal(() => sgd({ dampening: Number.NaN }))).toBe(`\`dampening\` of SGD ${number} NaN`);
    expect(refusal(() => adam({ eps: -1 }))).toBe(`\`eps\` of Adam ${number} -1`);
    expect(refusal(() => adamW({ weightDecay: -1 }))).toBe(`\`weightDecay\` of AdamW ${number} -1`);
    expect(refusal(() => rmsprop({ alpha: -1 }))).toBe(`\`alpha\` of RMSprop ${number} -1`);
    expect(refusal(() => adagrad({ lrDecay: -1 }))).toBe(`\`lrDecay\` of Adagrad ${number} -1`);
    expect(refusal(() => adagrad({ initialAccumulatorValue: Infinity }))).toContain(`${number} Infinity`);
    expect(refusal(() => sgd(any({ lr: "0.1" })))).toBe(`\`lr\` of SGD ${number} String`);
    expect(refusal(() => sgd(any({ lr: null })))).toBe(`\`lr\` of SGD ${number} Null`);
    expect(refusal(() => sgd(any({ nesterov: 1 })))).toBe("`nesterov` of SGD must be of type Boolean, not Number");
    for (const betas of [[1.5, 0.9], [0.9], [0.9, "0.99"], {}])
      expect(refusal(() => adam(any({ betas })))).toMatch(/betas/);
  });

  it("options are an object, and what is undefined has its default", () => {
    expect(refusal(() => sgd(any(null)))).toBe("`options` of SGD must be of type Object, not Null");
    expect(refusal(() => cosine(any(5)))).toBe("`options` of cosine must be of type Object, not Number");
    expect(sgd(any({ lr: undefined })).lr).toBe(1e-3);
    expect(adamW().weightDecay).toBe(1e-2);
    expect(sgd({ momentum: 0.9, dampening: -0.5 }).maximize).toBe(false);
  });
});

describe("options of schedules", () => {
  it("what leaves a rate undefined is refused", () => {
    expect(refusal(() => cosine(any({})))).toContain("`steps` of cosine must be a finite number");
    expect(refusal(() => cosine({ steps: -3 }))).toContain("not -3");
    expect(refusal(() => cosine({ steps: 3, warmup: Number.NaN }))).toContain("`warmup`");
    expect(refusal(() => cosine(any({ step: 3 })))).toContain("`steps` of cosine must be");
    expect(refusal(() => stepDecay(any({})))).toContain("`size` of stepDecay must be a finite number");
    expect(refusal(() => stepDecay({ size: 0 }))).toBe("`size` of stepDecay must be above 0");
    expect(stepDecay({ size: 2 })(3)).toBeCloseTo(0.1);
  });
});
