/** Colors that are told apart on any picture, by the number of a class. */
export function colorOf(index: number): string {
  // Steps of the golden angle: neighbors differ most.
  const hue = (210 + index * 137.508) % 360;
  return `hsl(${hue.toFixed(0)}, 85%, 60%)`;
}

/** The words above a box. */
export function captionOf({ label, score }: { readonly label: string; readonly score: number }): string {
  return `${label} ${Math.round(100 * score)} %`;
}

/** What lies under a caption, and the color of its letters. */
export interface CaptionColors {
  readonly ground: string;
  readonly ink: string;
}

const [DARK, LIGHT] = ["#000000", "#ffffff"];

/**
 * The colors of a caption on a class's color, with the ink that has the higher contrast by WCAG. A color that is not
 * written as `#rgb`, `#rrggbb`, `rgb()` or `hsl()` is unknown here, and its captions are light on dark.
 */
export function captionColors(color: string): CaptionColors {
  const luminance = luminanceOf(color);
  if (luminance === null) return { ground: DARK, ink: LIGHT };
  // (1 + 0.05) / (l + 0.05) = (l + 0.05) / (0 + 0.05) at l = 0.179: at least 4.58.
  return { ground: color, ink: luminance > 0.179 ? DARK : LIGHT };
}

/** Relative luminance by WCAG 2, between 0 and 1. */
function luminanceOf(color: string): number | null {
  const rgb = ofHex(color) ?? ofFunction(color);
  if (rgb === null) return null;
  const [r, g, b] = rgb.map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function ofHex(color: string): readonly number[] | null {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color.trim())?.[1];
  if (digits === undefined) return null;
  const each = digits.length / 3;
  return [0, 1, 2].map((i) => Number.parseInt(digits.slice(i * each, (i + 1) * each).repeat(2 / each), 16) / 255);
}

function ofFunction(color: string): readonly number[] | null {
  const [, name, inside] = /^(rgb|hsl)\(([^()]*)\)$/i.exec(color.trim()) ?? [];
  const parts = inside?.split(/[\s,]+/).filter((part) => part !== "") ?? [];
  const [first, second, third] = parts.map((part) => Number.parseFloat(part)) as [number, number, number];
  if (parts.length !== 3 || ![first, second, third].every(Number.isFinite)) return null;
  if (name!.toLowerCase() === "hsl") return ofHsl(first, second / 100, third / 100);
  return [first, second, third].map((value, i) => value / (parts[i]!.endsWith("%") ? 100 : 255));
}

/** CSS Color 4, `hslToRgb`. */
function ofHsl(hue: number, saturation: number, lightness: number): readonly number[] {
  const half = saturation * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((n) => {
    const k = (((n + hue / 30) % 12) + 12) % 12;
    return lightness - half * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  });
}
