// The page: a network that reads what you draw, and any `.pt2` program that you open. Backends and everything that
// reads models are loaded when they are needed.
import { offers } from "./backends.ts";
import { MODEL_URL } from "./digit/classifier.ts";
import { initDigitPanel } from "./digit/panel.ts";
import { initModelPanel } from "./model/panel.ts";
import { initBackendBadge } from "./page/backend-badge.ts";
import { byId } from "./page/dom.ts";
import { initTabs } from "./page/tabs.ts";
import { initTheme } from "./page/theme.ts";

const asked = new URLSearchParams(location.search).get("model");

initTheme(byId<HTMLButtonElement>("theme"));
let digitIsReady = false;
const showTab = initTabs(byId("tabs"), asked === null ? null : "open", (panel) => {
  if (panel !== "draw" || digitIsReady) return;
  digitIsReady = true;
  void initDigitPanel();
});
const openModel = initModelPanel(() => showTab("open"));
byId("open-digits").addEventListener("click", () => void openModel(new URL(MODEL_URL).pathname));

if (asked !== null) void openModel(asked);

void offers().then(initBackendBadge);
