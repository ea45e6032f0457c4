import { readdirSync, readFileSync } from "node:fs";

const FOLDER = new URL("../../../tests/fixtures/", import.meta.url);

/** Path of a fixture, e.g. `torch-2.13/mlp.pt2`. */
export function fixturePath(name: string): string {
  return new URL(name, FOLDER).pathname;
}

/** Bytes of a fixture. */
export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, FOLDER)));
}

/** Every `.pt2` fixture, as `torch-…/name`. */
export function fixtureNames(): string[] {
  return readdirSync(FOLDER)
    .filter((release) => release.startsWith("torch-"))
    .flatMap((release) => readdirSync(new URL(release, FOLDER)).map((file) => `${release}/${file}`))
    .filter((name) => name.endsWith(".pt2"));
}
