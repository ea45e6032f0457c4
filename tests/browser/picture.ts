/** Size of the picture: odd, and no multiple of a tile. */
export const WIDTH = 37;
/** As odd. */
export const HEIGHT = 23;

/** Colors of a picture that is no larger than a few tiles: every channel differs. */
export const color = (x: number, y: number): readonly [number, number, number] => [
  (x * 7) % 256,
  (y * 11) % 256,
  (x * 5 + y * 3) % 256,
];

/** The picture as `ImageData` has it. */
export const PIXELS: readonly number[] = Array.from({ length: WIDTH * HEIGHT }, (_, i) => [
  ...color(i % WIDTH, Math.floor(i / WIDTH)),
  255,
]).flat();

/** A channel of it in torchvision's `resize` of a float picture: antialiased bilinear, in two passes as it does it. */
export function resized(channel: number, width: number, height: number): readonly number[] {
  const rows = Array.from({ length: HEIGHT }, (_, y) =>
    axis(
      Array.from({ length: WIDTH }, (_, x) => color(x, y)[channel]! / 255),
      width,
    ),
  );
  const columns = Array.from({ length: width }, (_, x) =>
    axis(
      rows.map((row) => row[x]!),
      height,
    ),
  );
  return Array.from({ length: height * width }, (_, i) => columns[i % width]![Math.floor(i / width)]!);
}

function axis(values: readonly number[], size: number): number[] {
  const step = values.length / size;
  const reach = Math.max(1, step);
  return Array.from({ length: size }, (_, i) => {
    const center = (i + 0.5) * step;
    let [sum, weights] = [0, 0];
    for (const [k, value] of values.entries()) {
      const weight = Math.max(0, 1 - Math.abs((k + 0.5 - center) / reach));
      sum += weight * value;
      weights += weight;
    }
    return sum / weights;
  });
}
