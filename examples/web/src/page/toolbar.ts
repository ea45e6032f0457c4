import { type Child, el, icon } from "./dom.ts";

/** Controls in a row, which wraps where the page is narrow. */
export function toolbar(controls: readonly Child[]): HTMLElement {
  return el("div", { class: "toolbar" }, ...controls);
}

/** A button that shows an icon of the sprite, and says what it does to those who ask. */
export function iconButton(label: string, name: string, act: () => void): HTMLElement {
  const attributes = { type: "button", class: "quiet square", "aria-label": label, title: label, onclick: act };
  return el("button", attributes, icon(name));
}
