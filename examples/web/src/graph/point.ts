/** A place on the drawing; the top left corner is 0, 0. */
export interface Point {
  readonly x: number;
  readonly y: number;
}
