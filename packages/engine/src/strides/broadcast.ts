import { numel } from "@pt2/backend";

/** Returns the shape that shapes broadcast to; they are known to be compatible. */
export function broadcastShape(shapes: readonly (readonly number[])[]): readonly number[] {
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, d) =>
    shapes.reduce((size, shape) => {
      const own = shape[shape.length - rank + d] ?? 1;
      return own === 1 ? size : own;
    }, 1),
  );
}

/** Returns, for a tensor expanded to a shape that it broadcasts to, the flat position that each element comes from. */
export function broadcastPositions(from: readonly number[], to: readonly number[]): Int32Array {
  const lead = to.length - from.length;
  const positions = new Int32Array(numel(to));
  let [repeat, stride] = [1, 1];
  for (let d = to.length - 1; d >= 0; d--) {
    const size = d < lead ? 1 : from[d - lead]!;
    if (size !== 1) {
      for (let i = 0; i < positions.length; i++) positions[i]! += (Math.floor(i / repeat) % size) * stride;
      stride *= size;
    }
    repeat *= to[d]!;
  }
  return positions;
}
