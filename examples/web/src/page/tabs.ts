/** Called when a panel is shown. */
export type OnShow = (panel: string) => void;

/**
 * Sets up the tabs of the page: arrow keys move between them, the address stores the selection. The first tab is that of
 * the address, or `first`. Returns a function that selects a tab.
 */
export function initTabs(list: HTMLElement, first: string | null, onShow: OnShow): (panel: string) => void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role="tab"]')];
  const panelOf = (tab: HTMLElement): string => tab.getAttribute("aria-controls")!;

  const show = (panel: string): void => {
    for (const tab of tabs) {
      const chosen = panelOf(tab) === panel;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      document.getElementById(panelOf(tab))!.hidden = !chosen;
    }
    onShow(panel);
  };
  const choose = (panel: string): void => {
    history.replaceState(null, "", `${location.search}#${panel}`);
    show(panel);
  };

  list.addEventListener("click", (event) => {
    const tab = (event.target as HTMLElement).closest<HTMLElement>('[role="tab"]');
    if (tab !== null) choose(panelOf(tab));
  });
  list.addEventListener("keydown", ({ key }) => {
    const at = tabs.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: tabs.length - 1 - at }[key];
    if (at < 0 || step === undefined) return;
    const tab = tabs[(at + step + tabs.length) % tabs.length]!;
    tab.focus();
    choose(panelOf(tab));
  });
  addEventListener("hashchange", () => show(current()));

  const current = (): string => {
    const named = location.hash.slice(1);
    return tabs.some((tab) => panelOf(tab) === named) ? named : panelOf(tabs[0]!);
  };
  if (first === null) show(current());
  else choose(first);
  return choose;
}
