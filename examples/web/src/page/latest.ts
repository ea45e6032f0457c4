/**
 * Returns a function that handles one input at a time and skips outdated ones, for results that follow a pen or a
 * slider. Errors are passed to `onProblem`, and the next input is handled normally.
 */
export function latest<Input>(
  act: (input: Input) => Promise<void>,
  onProblem: (problem: unknown) => void,
): (input: Input) => void {
  let waiting: { readonly input: Input } | undefined;
  let running = false;
  return (input) => {
    waiting = { input };
    if (running) return;
    running = true;
    void (async () => {
      while (waiting !== undefined) {
        const next = waiting;
        waiting = undefined;
        await act(next.input).catch(onProblem);
      }
      running = false;
    })();
  };
}
