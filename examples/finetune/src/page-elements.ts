/** An element of the page, by its id. */
export function element<E extends HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

/** Hands bytes to the user as a file. */
export function download(bytes: Uint8Array): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes.slice()]));
  link.download = "trained.pt2";
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A button that holds a loop up: `await pause.passed()` returns at once, or when the user goes on. */
export class PauseButton {
  readonly #button: HTMLButtonElement;
  #resume: (() => void) | null = null;
  #isPaused = false;

  constructor(button: HTMLButtonElement) {
    this.#button = button;
    button.onclick = () => {
      this.#isPaused = !this.#isPaused;
      button.textContent = this.#isPaused ? "Resume" : "Pause";
      if (!this.#isPaused) this.#resume?.();
    };
  }

  set disabled(isDisabled: boolean) {
    this.#button.disabled = isDisabled;
  }

  /** Waits while the user pauses; the page stays responsive where the backend computes on this thread. */
  async passed(): Promise<void> {
    if (this.#isPaused) await new Promise<void>((done) => (this.#resume = done));
    await new Promise((done) => setTimeout(done));
  }
}
