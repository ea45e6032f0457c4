import { describe, expect, it } from "vitest";
import { Emitter } from "../../lower/emit.ts";
import type { Scalar } from "../../tensor-meta.ts";
import { createRegistry } from "../../user-ops/create-registry.ts";
import { aten } from "../aten-ops.ts";

const emitter = new Emitter(createRegistry({ sets: [aten] }), { name: "test", isNative: () => true });

function shapeOf(start: Scalar, end: Scalar, step: Scalar): unknown {
  const node = { name: "n", op: "aten::arange.start_step", args: [], outputs: [], origin: {} };
  const [result] = emitter.emit("aten::arange.start_step", { start, end, step }, node);
  return result;
}

describe("aten::arange", () => {
  it("counts integers that doubles do not tell apart", () => {
    expect(shapeOf(2n ** 53n + 1n, 2n ** 53n + 6n, 1)).toMatchObject({ dtype: "int64", shape: [5] });
    expect(shapeOf(2n ** 62n + 3n, 2n ** 62n, -2)).toMatchObject({ dtype: "int64", shape: [2] });
  });

  it("counts floats, and cuts the bounds of int64", () => {
    expect(shapeOf({ float: 0.5 }, 3, 1)).toMatchObject({ dtype: "float32", shape: [3] });
  });
});
