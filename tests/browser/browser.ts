import { type Browser, chromium } from "playwright-core";

/** Found by the test runner's configuration; empty where there is none. */
const { PT2_CHROMIUM: executablePath = "" } = process.env;

/** Why tests that need a browser are skipped here; empty where they run. */
export const missingBrowser: string =
  executablePath === "" ? "skipped: no Chromium found; install one, or set PT2_CHROMIUM to its path" : "";

/** So that it runs unattended, also as root in a container. */
const ARGS = [
  ...["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** WebGPU on the CPU, with the driver inside Chromium. Without these a page has `navigator.gpu`, but no adapter. */
const WEBGPU_ARGS = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** Everything through that driver: then frames of a video are textures that WebGPU can copy. */
const SHARED_ARGS = [
  ...["--enable-features=Vulkan", "--use-vulkan=swiftshader", "--use-angle=swiftshader"],
  ...["--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-vulkan-surface"],
];

/** Every page may use a camera that shows a film, without asking. */
const cameraArgs = (film: string) => [
  ...["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"],
  `--use-file-for-fake-video-capture=${film}`,
];

/** What the browser offers to pages. */
export interface BrowserOptions {
  /** An adapter for WebGPU. @default false */
  readonly webgpu?: boolean;
  /** Lets the adapter share textures with the rest of the browser, as GPUs do. @default false */
  readonly sharedTextures?: boolean;
  /** Answers at once when a page asks what memory it and its workers hold, instead of within minutes. @default false */
  readonly measuresMemory?: boolean;
  /** What the camera shows: the path of a `.mjpeg`, JPEG files one after the other. @default there is no camera */
  readonly film?: string;
}

/** Starts a browser without a window. */
export function launchBrowser({
  webgpu = false,
  sharedTextures = false,
  measuresMemory = false,
  film,
}: BrowserOptions = {}): Promise<Browser> {
  const graphics = sharedTextures ? SHARED_ARGS : ["--disable-gpu"];
  const memory = measuresMemory ? ["--enable-blink-features=ForceEagerMeasureMemory"] : [];
  const camera = film === undefined ? [] : cameraArgs(film);
  const args = [...ARGS, ...graphics, ...(webgpu ? WEBGPU_ARGS : []), ...memory, ...camera];
  return chromium.launch({ executablePath, timeout: 0, args });
}
