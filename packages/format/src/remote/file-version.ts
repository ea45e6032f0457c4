/** The headers that distinguish versions of a file, if its server sends them. */
export interface FileVersion {
  readonly etag: string | null;
  readonly modified: string | null;
}

export function versionOf(headers: Headers): FileVersion {
  return { etag: headers.get("etag"), modified: headers.get("last-modified") };
}

/**
 * Returns whether two responses may be of one version. An ETag identifies the content, so beside one the date is
 * ignored.
 */
export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  if (a.etag === null && b.etag === null) return a.modified === b.modified;
  return a.etag !== null && b.etag !== null && strong(a.etag) === strong(b.etag);
}

/** Removes the weak mark: a server that compresses only some responses marks those tags as weak. */
function strong(etag: string): string {
  return etag.replace(/^W\//, "");
}
