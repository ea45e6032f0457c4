/** What tests of several packages share. */
export { difference, type Leaf } from "./difference.ts";
export { expectFixture, fixtureNames, fixturePath, loadFixture, type RecordedCall, readCalls } from "./fixture.ts";
