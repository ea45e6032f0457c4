/** A curve on a canvas that grows to the right. */
export class Curve {
  readonly #canvas: HTMLCanvasElement;
  readonly #points: (readonly [x: number, y: number])[] = [];
  readonly #top: number | null;

  /** `top` is the value at the upper edge; without it the largest so far. */
  constructor(canvas: HTMLCanvasElement, top: number | null = null) {
    this.#canvas = canvas;
    this.#top = top;
  }

  add(x: number, y: number): void {
    this.#points.push([x, y]);
    const { width, height } = this.#canvas;
    const context = this.#canvas.getContext("2d")!;
    context.clearRect(0, 0, width, height);
    context.strokeStyle = getComputedStyle(this.#canvas).getPropertyValue("--line");
    context.lineWidth = 3;
    const right = Math.max(x, 1);
    const top = this.#top ?? Math.max(...this.#points.map(([, value]) => value), 1e-6);
    context.beginPath();
    for (const [px, py] of this.#points)
      context.lineTo((px / right) * (width - 8) + 4, height - 4 - (py / top) * (height - 8));
    context.stroke();
  }
}
