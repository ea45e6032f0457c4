// A cache of archives in the origin private file system, for pages that load the same archives again.
export { type CacheOptions, cached, cacheUsage, clearCache } from "./opfs/archive-cache.ts";
