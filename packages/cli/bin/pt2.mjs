#!/usr/bin/env node
// A file of the sources: package managers link it before anything is built.
import "../dist/node/main.js";
