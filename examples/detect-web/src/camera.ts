/** Starts the camera in `video`, the one at the back of a phone; ends with the words that say why not. */
export async function startCamera(video: HTMLVideoElement): Promise<MediaStream> {
  if (navigator.mediaDevices === undefined)
    throw new Error("A page may use a camera only where it is served over https or from localhost.");
  const wanted = { facingMode: "environment", width: { ideal: 640 }, height: { ideal: 480 } };
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: wanted, audio: false });
  } catch (problem) {
    throw new Error(wordsFor(problem), { cause: problem });
  }
  video.srcObject = stream;
  await video.play();
  return stream;
}

/** Ends it, and its light. */
export function stopCamera(video: HTMLVideoElement, stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
  video.srcObject = null;
}

const WORDS: Readonly<Record<string, string>> = {
  NotAllowedError: "The browser may not use the camera: allow it beside the address of this page, and try again.",
  NotFoundError: "This device has no camera, or none that the browser sees.",
  NotReadableError: "The camera is in use by another program: close that, and try again.",
};

function wordsFor(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  return WORDS[problem.name] ?? `The camera does not start: ${problem.message}`;
}
