/** What tells versions of a file apart, as far as its server says. */
export interface FileVersion {
  readonly etag: string | null;
  readonly modified: string | null;
}

export function versionOf(headers: Headers): FileVersion {
  return { etag: headers.get("etag"), modified: headers.get("last-modified") };
}

/** Whether two answers may be of one version. An ETag is about content, so where there is one the date does not count. */
export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  if (a.etag === null && b.etag === null) return a.modified === b.modified;
  return a.etag !== null && b.etag !== null && strong(a.etag) === strong(b.etag);
}

/** A server that compresses one answer and not another calls the tag of the one weak. */
function strong(etag: string): string {
  return etag.replace(/^W\//, "");
}
