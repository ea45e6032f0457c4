import { element } from "./element.ts";

/** The scenes that come with the detector. */
export const SAMPLES: readonly URL[] = [
  new URL("../../detect-node/scenes/0.jpg", import.meta.url),
  new URL("../../detect-node/scenes/1.jpg", import.meta.url),
  new URL("../../detect-node/scenes/2.jpg", import.meta.url),
  new URL("../../detect-node/scenes/3.jpg", import.meta.url),
  new URL("../../detect-node/scenes/4.jpg", import.meta.url),
  new URL("../../detect-node/scenes/5.jpg", import.meta.url),
  new URL("../../detect-node/scenes/6.jpg", import.meta.url),
  new URL("../../detect-node/scenes/7.jpg", import.meta.url),
];

/** What the user does with pictures and models. */
export interface Wishes {
  sample(index: number): void;
  picture(file: File): void;
  models(files: readonly File[]): void;
}

const samples = element("samples");

/** Listens to everything that brings a picture or a model to the page: buttons, files, what is dropped or pasted. */
export function listen(wishes: Wishes): void {
  samples.append(
    ...SAMPLES.map((address, index) => {
      const image = document.createElement("img");
      image.src = address.href;
      image.alt = `Scene ${index + 1}`;
      const button = document.createElement("button");
      button.type = "button";
      button.append(image);
      button.onclick = () => wishes.sample(index);
      const item = document.createElement("li");
      item.append(button);
      return item;
    }),
  );
  const take = (files: readonly File[]): void => {
    if (files.some(({ name }) => /\.(pt2|json)$/.test(name))) wishes.models(files);
    else if (files[0] !== undefined) wishes.picture(files[0]);
  };
  for (const id of ["file", "model-files"]) {
    const input = element<HTMLInputElement>(id);
    input.onchange = () => {
      take([...(input.files ?? [])]);
      // The same file may be chosen again.
      input.value = "";
    };
  }
  document.body.ondragover = (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  };
  document.body.ondragleave = ({ relatedTarget }) => {
    if (relatedTarget === null) document.body.classList.remove("dragging");
  };
  document.body.ondrop = (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    take([...(event.dataTransfer?.files ?? [])]);
  };
  document.body.onpaste = ({ clipboardData }) => take([...(clipboardData?.files ?? [])]);
}

/** Marks the sample that is shown; null where something else is. */
export function markSample(shown: number | null): void {
  for (const [index, button] of samples.querySelectorAll("button").entries())
    button.ariaPressed = String(index === shown);
}

/** Reads a picture, turned as its camera was held. */
export async function decode(picture: Blob, name: string): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(picture, { imageOrientation: "from-image" });
  } catch (cause) {
    throw new Error(`${name} is not a picture that this browser can read.`, { cause });
  }
}
