/** An element of the page, by its id. */
export function element<E extends HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}
