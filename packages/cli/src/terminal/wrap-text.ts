/**
 * Breaks the lines of a help text that are wider than the terminal between words. What continues a line begins where its
 * last column begins: that of the first words after two spaces, or else that of the line.
 */
export function wrapText(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split("\n")
    .map((line) => wrapLine(line, columns))
    .join("\n");
}

function wrapLine(line: string, columns: number): string {
  const [, head = ""] = /^( +\S.*? {2,}| *)/.exec(line)!;
  // A column of a few letters is worse to read than one that begins on the next line, further left.
  const isNarrow = head.length > columns / 2;
  const indent = " ".repeat(isNarrow ? Math.min(4, columns / 2) : head.length);
  const lines: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const start = lines.length > 0 ? indent.length : isNarrow ? head.trimEnd().length : head.length;
    const before = rest.lastIndexOf(" ", columns);
    const at = before > start ? before : rest.indexOf(" ", Math.max(columns, start));
    if (at < 0) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = indent + rest.slice(at).trimStart();
  }
  return [...lines, rest].join("\n");
}
