import { registryError } from "./registry-errors.ts";

/** Returns the shape that operands broadcast to. */
export function broadcastShapes(shapes: readonly (readonly number[])[]): readonly number[] {
  let result = shapes[0] ?? [];
  for (const shape of shapes) if (shape !== result) result = broadcastTwo(result, shape);
  return result;
}

function broadcastTwo(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length < b.length) return broadcastTwo(b, a);
  const shift = a.length - b.length;
  return a.map((x, i) => {
    const y = i < shift ? 1 : b[i - shift]!;
    if (x !== y && x !== 1 && y !== 1) {
      throw registryError("registry.shape", {
        what: `The size of tensor a (${x}) must match the size of tensor b (${y}) at non-singleton dimension ${i}`,
        details: { shapes: [a, b] },
      });
    }
    return x === 1 ? y : x;
  });
}
