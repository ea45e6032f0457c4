/** Colors that are told apart on any picture, by the number of a class. */
export function colorOf(index: number): string {
  // Steps of the golden angle: neighbors differ most.
  const hue = (210 + index * 137.508) % 360;
  return `hsl(${hue.toFixed(0)}, 85%, 60%)`;
}

/** The words above a box. */
export function captionOf({ label, score }: { readonly label: string; readonly score: number }): string {
  return `${label} ${Math.round(100 * score)} %`;
}
