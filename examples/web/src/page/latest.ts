/**
 * Does one thing at a time with the newest input: what came meanwhile and is out of date is left out. For answers that
 * follow a pen or a slider.
 */
export function latest<Input>(act: (input: Input) => Promise<void>): (input: Input) => void {
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
        await act(next.input);
      }
      running = false;
    })();
  };
}
