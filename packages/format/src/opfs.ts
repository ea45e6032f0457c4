// For pages that load the same archives again and again: a cache in the origin private file system.
export { type CacheOptions, cached, cacheUsage, clearCache } from "./opfs/archive-cache.ts";
