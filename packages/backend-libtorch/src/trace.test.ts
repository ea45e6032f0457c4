import { hostTensor, type TraceEvent, type Value } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { createRegistry, type HandlerTensor, type OpHandler } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { ACCUMULATE, compileBody, elementsOf } from "./programs.test-helper.ts";

const x = floats([3], 1, 2, 3);
const YES = hostTensor("bool", [], Uint8Array.of(1));

/** Reads what an observer is shown, as text. */
async function seen(run: (observe: (event: TraceEvent) => Promise<void>) => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  await run(async ({ node, outputs }) => {
    const shown = outputs.map(({ name, value }) => `${name}=${text(value)}`);
    lines.push(`${node}: ${shown.join(" ")}`);
  });
  return lines;
}

function text(value: Value): string {
  return typeof value === "object" && value !== null ? `[${elementsOf(value)}]` : String(value);
}

describeWithLibtorch("node by node", ({ addon }) => {
  const backend = new LibtorchBackend(addon, { threads: 1 });

  it("shows every node's results, views and lists among them, and gives what a run gives", async () => {
    const executable = await compileBody(
      backend,
      `
  user_input %x: f32[3]
  %y: f32[3] = aten::add_.Tensor(%x, other=%x)
  %v: f32[2] = aten::slice.Tensor(%y, start=1)
  parts: [%p0: f32[1], %p1: f32[1]] = aten::split.Tensor(%v, split_size=1)
  %z: f32[2] = aten::neg_(%v)
  return %y, %z, %p0, %p1`,
      {},
      { precision: "exact" },
    );
    const results: (readonly Value[])[] = [];
    const lines = await seen(async (observe) => results.push(await executable.trace([x], observe)));
    // The first write to an input makes the run begin again: nothing is shown twice.
    expect(lines).toEqual(["y: y=[2,4,6]", "v: v=[4,6]", "parts: p0=[4] p1=[6]", "z: z=[-4,-6]"]);
    const run = await executable.run([x]);
    expect(results[0]!.map(elementsOf)).toEqual(run.map(elementsOf));
    expect(elementsOf(x)).toEqual([1, 2, 3]);
    await executable.dispose();
  });

  it("a write to a buffer late in the run shows nothing twice, and is kept", async () => {
    const executable = await compileBody(
      backend,
      `
  buffer "sum" = %sum: f32[3]
  user_input %x: f32[3]
  %a: f32[3] = aten::neg(%x)
  %r: f32[3] = aten::rand_like(%x)
  %t: f32[3] = aten::add_.Tensor(%sum, other=%x)
  %c: f32[3] = aten::clone(%t)
  return %c`,
      { sum: floats([3], 0, 0, 0) },
      { precision: "exact" },
    );
    const names: string[] = [];
    const observe = ({ node }: TraceEvent): void => void names.push(node);
    await executable.trace([x], observe);
    expect(names).toEqual(["a", "r", "t", "c"]);
    expect(elementsOf((await executable.run([x]))[0])).toEqual([2, 4, 6]);
    await executable.dispose();
  });

  it("enters nested graphs, and stops at nodes that JavaScript runs", async () => {
    const doubled: OpHandler = {
      ops: ["my::doubled"],
      compile: () => (frame) => {
        const { dtype, shape, data } = frame.args.x as HandlerTensor & { readonly data: Float32Array };
        return { dtype, shape, data: data.map((element) => 2 * element) };
      },
    };
    const registry = createRegistry({ sets: [aten], handlers: [doubled] });
    const executable = await compileBody(backend, COND, {}, { registry, precision: "exact" });
    const lines = await seen((observe) => executable.trace([x, YES], observe));
    expect(lines).toEqual(["a: a=[2,4,6]", "b: b=[-2,-4,-6]", "cond: y=[-2,-4,-6]", "z: z=[-4,-8,-12]"]);
    await executable.dispose();
  });

  it("shows the nodes of the optimized program", async () => {
    const executable = await compileBody(backend, "  user_input %x: f32[3]\n  %y: f32[3] = aten::exp(%x)\n  return %y");
    expect(await seen((observe) => executable.trace([x], observe))).toHaveLength(1);
    await executable.dispose();
  });

  it("an abort or an observer that throws ends the run between two nodes; buffers stay", async () => {
    const executable = await compileBody(backend, ACCUMULATE, { sum: floats([3], 0, 0, 0) });
    const controller = new AbortController();
    const reason = new Error("enough");
    let count = 0;
    const abort = (): void => {
      count++;
      controller.abort(reason);
    };
    await expect(executable.trace([x], abort, { signal: controller.signal })).rejects.toBe(reason);
    expect(count).toBe(1);
    await expect(executable.trace([x], () => Promise.reject(reason))).rejects.toBe(reason);
    expect(elementsOf((await executable.run([x]))[0])).toEqual([1, 2, 3]);
    await executable.dispose();
  });
});

const COND = `
  user_input %x: f32[3]
  user_input %p: bool[]
  cond: [%y: f32[3]] = higher_order::cond(%p, graph yes(%t: f32[3]) {
    %a: f32[3] = my::doubled(x=%t)
    %b: f32[3] = aten::neg(%a)
    return %b
  }, graph no(%t: f32[3]) {
    return %t
  }, [%x])
  %z: f32[3] = my::doubled(x=%y)
  return %z`;
