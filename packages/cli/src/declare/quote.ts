/** Names in a file are anyone's text. Here is how they get into TypeScript source without becoming code. */

/** Writes a property name: bare if it is an ASCII identifier, else as a string. */
export function propertyName(name: string): string {
  return isIdentifier(name) ? name : stringLiteral(name);
}

const RESERVED: ReadonlySet<string> = new Set(
  (
    "break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if import in instanceof new null return super switch this throw true try typeof var void while with"
  ).split(" "),
);

/** Writes the label of a tuple element: its name if TypeScript allows that, else its position. */
export function elementLabel(name: string, at: number): string {
  return isIdentifier(name) && !RESERVED.has(name) ? name : `arg${at}`;
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name);
}

/** Writes a string literal of printable ASCII: no character can end the literal, the line or the file's encoding. */
export function stringLiteral(text: string): string {
  return escaped(JSON.stringify(text));
}

/** Writes text for the inside of a block comment, on one line, which it cannot end. */
export function commentText(text: string): string {
  return escaped(text).replaceAll("*/", "*\\/").replaceAll("@", "\\@");
}

function escaped(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
