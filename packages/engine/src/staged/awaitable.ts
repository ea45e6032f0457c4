/** A value that some backends have at once, and others only after waiting for their device. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Applies `next` to a value. It does so at once where the value is there, since a turn of the event loop would be most
 * of a short run.
 */
export function whenReady<T, R>(value: Awaitable<T>, next: (value: T) => R): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
