import { parse } from "@pt2/graph";
import { describe, expect, it } from "vitest";
import { fixtureTensors, loadFixture } from "./fixtures.test-helper.ts";
import type { StepResult, Tensor } from "./index.ts";
import { inputsOf, outputsOf } from "./index.ts";
import { resultOf, stepResultOf } from "./result.ts";

/** Structure of a value: shapes in place of tensors. */
function shapesOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("shape" in value) return value.shape;
  if (Array.isArray(value)) return value.map(shapesOf);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapesOf(part)]));
}

describe("a result of a Python class keeps its field names", () => {
  it.each([
    [
      "model_output",
      { last_hidden_state: [1, 5, 4], pooler_output: [1, 4], hidden_states: [1, 2].map(() => [1, 5, 4]) },
    ],
    [
      "nested_output",
      {
        logits_per_image: [1, 2],
        logits_per_text: [2, 1],
        text_embeds: [2, 3],
        image_embeds: [1, 3],
        text_model_output: { last_hidden_state: [2, 5, 4], pooler_output: [2, 3] },
        vision_model_output: { last_hidden_state: [1, 5, 4], pooler_output: [1, 3] },
      },
    ],
    ["return_types", [{ values: [2, 2], indices: [2, 2] }, { largest: { values: [2], indices: [2] } }]],
  ])("a result of a Python class keeps its field names: %s", async (name, expected) => {
    await using model = await loadFixture(`programs/${name}`);
    const inputs = await fixtureTensors(`programs/${name}`, "inputs");
    expect(shapesOf(await model.run({ leaves: inputs }))).toEqual(expected);
  });

  it("dataclasses can be inputs and results", async () => {
    await using model = await loadFixture("programs/dataclasses");
    const [boxes, masks] = await fixtureTensors("programs/dataclasses", "inputs");
    const result = await model.forward({ found: { boxes, masks, count: 5 } });
    expect(shapesOf(result)).toEqual({
      double: { boxes: [2, 4], masks: [2, 3], count: 5 },
      bare: { boxes: [2, 4], masks: null, count: 3 },
    });
  });

  it.each([
    ["dynamic_cache", (length: number) => ({ key_cache: [[1, 1, length, 4]], value_cache: [[1, 1, length, 4]] })],
    ["static_cache", () => ({ layers: [{ keys: [1, 1, 6, 4], values: [1, 1, 6, 4], cumulative_length: [] }] })],
  ])("a cache can be input and result: %s", async (name, shapes) => {
    await using model = await loadFixture(`programs/${name}`);
    const [ids, keys, values, length] = await fixtureTensors(`programs/${name}`, "inputs");
    const cache =
      length === undefined
        ? { key_cache: [keys], value_cache: [values] }
        : { layers: [{ keys, values, cumulative_length: length }] };
    type Result = { logits: Tensor; past_key_values: unknown };
    const { past_key_values: past } = await model.forward<Result>({ input_ids: ids, past_key_values: cache });
    expect(shapesOf(past)).toEqual(shapes(4));
    if (name === "dynamic_cache") return;
    // The result of one step is the input of the next one.
    const next = await model.forward<Result>({ input_ids: ids, past_key_values: past });
    expect(shapesOf(next.past_key_values)).toEqual(shapes(4));
  });
});

describe("programs of forward and backward", () => {
  it("programs of forward and backward return the module's result and the gradients of its loss", async () => {
    await using model = await loadFixture("joint/tokens");
    const [ids, target] = await fixtureTensors("joint/tokens", "inputs");
    const [logits, loss, ...grads] = await fixtureTensors("joint/tokens", "expected");
    const result: StepResult<{ logits: Tensor; loss: Tensor }> = await model.step!(ids, target);
    expect(shapesOf(result)).toEqual({
      loss: [],
      outputs: { logits: logits!.shape, loss: loss!.shape },
      gradients: { "embed.weight": [7, 4], "norm.weight": [4], "norm.bias": [4], "head.weight": [7, 4] },
      inputGradients: {},
    });
    expect((await result.loss.read())[0]).toBeCloseTo(Number(loss!.data[0]), 5);
    expect(shapesOf(await model.forward(ids, target))).toEqual(shapesOf(result.outputs));
    expect((await result.gradients["norm.bias"]!.read())[3]).toBeCloseTo(Number(grads[2]!.data[3]), 5);
    expect(model.outputs.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "output.logits user_output",
      "output.loss loss_output",
      ...Object.keys(result.gradients).map((name) => `${name}.grad gradient_to_parameter`),
    ]);
  });

  it("programs of forward and backward separate gradients of inputs from those of parameters, and accept results in any order", () => {
    const program = parse(`program {
      parameter "x" = %p_x: f32[2]
      user_input %x: f32[2]
      forward ("pair")
      in_spec tuple(tuple(dict("x": *)), dict())
      out_spec tuple(*)
      return %x -> gradient_to_parameter "x", %p_x -> gradient_to_user_input "x", %x -> loss_output
    }`);
    expect(outputsOf(program).map(({ name }) => name)).toEqual(["x.grad", "pair.x.grad", "output[0]"]);
    expect(resultOf(program, [1, 2, 3])).toEqual([3]);
    const [x, px, loss] = [1, 2, 3] as unknown as readonly Tensor[];
    expect(stepResultOf(program, inputsOf(program), [x!, px!, loss!])).toEqual({
      loss: 3,
      outputs: [3],
      gradients: { x: 1 },
      inputGradients: { "pair.x": 2 },
    });
  });
});
