/** What some backends have at once, and others only after waiting for their device. */
export type Awaitable<T> = T | Promise<T>;

/** `next` of a value: at once where it is there, for a turn of the event loop would be most of a short run. */
export function whenReady<T, R>(value: Awaitable<T>, next: (value: T) => R): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
