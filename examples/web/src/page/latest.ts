/**
 * Does one thing at a time with the newest input: what came meanwhile and is out of date is left out. For answers that
 * follow a pen or a slider. What fails is told to `onProblem`, and the next input is another chance.
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
