// The page: a network that reads what you draw, and any `.pt2` program that you open. Backends and everything that
// reads models are loaded when they are needed.
import { bestOf, offers } from "./backends.ts";
import { initDigitPanel } from "./digit/panel.ts";
import { initModelPanel } from "./model/panel.ts";
import { byId } from "./page/dom.ts";
import { initTabs } from "./page/tabs.ts";
import { initTheme } from "./page/theme.ts";

const DIGITS = new URL("../../digits/digits.pt2", import.meta.url).href;

initTheme(byId<HTMLButtonElement>("theme"));
const openModel = initModelPanel();
let digitIsReady = false;
const showTab = initTabs(byId("tabs"), (panel) => {
  if (panel !== "draw" || digitIsReady) return;
  digitIsReady = true;
  void initDigitPanel();
});
byId("open-digits").addEventListener("click", () => void openModel(DIGITS));

void offers().then((offered) => {
  const best = bestOf(offered)!;
  const gpu = byId("gpu");
  gpu.textContent = best.id === "webgpu" ? "WebGPU" : "No WebGPU: WebAssembly";
  gpu.classList.toggle("yes", best.id === "webgpu");
  gpu.title = offered.flatMap(({ missing }) => missing ?? []).join(" ");
});

const asked = new URLSearchParams(location.search).get("model");
if (asked !== null) {
  showTab("open");
  byId<HTMLInputElement>("link").value = asked;
  void openModel(asked);
}
