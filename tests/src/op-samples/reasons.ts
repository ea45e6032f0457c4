/**
 * The reasons for which PyTorch exported no program, in the order in which they are tried; others are given in
 * PyTorch's words.
 */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^AssertionError: Jiterator/, "PyTorch has Jiterator on GPUs only"],
  [/^DataDependentOutputException: (\S+)/, "`$1` answers with data, which is not known while a program is exported"],
  [/^DynamicOutputShapeException: (\S+)/, "the shape of the result of `$1` depends on data"],
  [/^GuardOnDataDependentSymNode/, "Python branches on data"],
  [/^PendingUnbackedSymbolNotFound/, "a size that depends on data is not seen in the result"],
  [/PyTorch cannot run the program/, "PyTorch exports it, and fails when it runs the program"],
  [/Tensor-likes are not close/, "PyTorch's own run of the program differs from its eager mode"],
  [/not enough values to unpack \(expected 2, got 0\)/, "PyTorch cannot save a program without tensors"],
  [/^RuntimeError: setStorage/, "its input must be a part of a larger tensor"],
  [/^AssertionError: [A-Z]{4}$/, "torch.export has not implemented it"],
  [/^NotImplementedError: (.*)$/s, "$1"],
];

/** Returns a readable reason, the same for all samples that share it. */
export function reasonOf(why: string): string {
  for (const [pattern, reason] of REASONS) {
    const found = pattern.exec(why);
    if (found !== null) return oneLine(reason.replace("$1", found[1] ?? ""));
  }
  return oneLine(why);
}

/** Returns the first sentence or line, for a cell of a table. */
export function oneLine(text: string): string {
  const [line] = text.trim().split(/\s*\n/);
  return line!.replaceAll("|", "\\|").slice(0, 200);
}
