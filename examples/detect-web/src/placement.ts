/** Where a picture lies inside the stage that shows it whole: `x = left + scale * (x in the picture)`. */
export interface Placement {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}

/** Width and height, in whatever unit. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What `object-fit: contain` does. */
export function contain(picture: Size, stage: Size): Placement {
  const scale = Math.min(stage.width / picture.width, stage.height / picture.height);
  return {
    left: (stage.width - picture.width * scale) / 2,
    top: (stage.height - picture.height * scale) / 2,
    scale,
  };
}
