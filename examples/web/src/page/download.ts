import { el } from "./dom.ts";

/** Gives the user a file. */
export function download(content: Blob, name: string): void {
  const href = URL.createObjectURL(content);
  el("a", { href, download: name }).click();
  // The browser has begun to read by then.
  setTimeout(() => URL.revokeObjectURL(href));
}
