const KEY = "theme";

type Theme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

/** Follows the system until the user has chosen, and remembers the choice. */
export function initTheme(toggle: HTMLButtonElement): void {
  const chosen = remembered();
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  const show = (): void => {
    const other = currentTheme() === "dark" ? "light" : "dark";
    toggle.setAttribute("aria-label", `Use the ${other} theme`);
    toggle.title = `Use the ${other} theme`;
    for (const listener of listeners) listener();
  };
  toggle.addEventListener("click", () => {
    const next: Theme = currentTheme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    remember(next);
    show();
  });
  system.addEventListener("change", show);
  show();
}

/** Is called when colors change, for what is drawn by hand. Returns what ends it. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The color that a custom property of the style sheet has now, such as `--ink`. */
export function color(property: string): string {
  probe.style.color = `var(${property})`;
  if (!probe.isConnected) document.body.append(probe);
  return getComputedStyle(probe).color;
}

const probe = document.createElement("span");
probe.hidden = true;

/** A browser may keep nothing, or forbid to ask. */
function remembered(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice holds until the page is left.
  }
}

function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return system.matches ? "dark" : "light";
}
