#!/usr/bin/env bash
# Compiles the native module with AddressSanitizer and UndefinedBehaviorSanitizer, and runs this package's tests with it:
#
#   native/asan.sh [FILE…]        test files, as for Vitest; without one all of this package
#
# PT2_LIBTORCH: the folder of libtorch; without it torch of the active Python. PT2_ASAN_BUILD: where to compile.
# Leaks are not looked for: V8 frees nothing at exit, and libtorch keeps its registries. What grows is a test of its own.
set -euo pipefail

native=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$native/../../.." && pwd)
build=${PT2_ASAN_BUILD:-$root/.cache/asan}
libtorch=${PT2_LIBTORCH:-$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')}
runtime=$("${CXX:-g++}" -print-file-name=libasan.so)
if [[ $runtime != /* ]]; then
  echo "ASan: skipped: ${CXX:-g++} has no libasan.so" >&2
  exit 2
fi

cmake -S "$native" -B "$build" -DPT2_LIBTORCH="$libtorch" -DPT2_SANITIZE=address,undefined \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -g1 -Wno-stringop-overflow"
cmake --build "$build" --parallel "${PT2_JOBS:-2}"

# AddressSanitizer writes to files of its own, as the tests run in processes of their own whose output may be swallowed.
# UndefinedBehaviorSanitizer writes to stderr whatever it is told, so its findings are looked for there.
log=$build/findings
rm -f "$log".*
export PT2_LIBTORCH=$libtorch PT2_LIBTORCH_ADDON=$build/pt2_libtorch.node
export ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0:allocator_may_return_null=1:abort_on_error=0:log_path=$log
export UBSAN_OPTIONS=print_stacktrace=1
cd "$root"
passed=0
LD_PRELOAD=$runtime node node_modules/vitest/vitest.mjs run --project unit --no-file-parallelism --testTimeout 600000 \
  "${@:-packages/backend-libtorch/src}" 2>&1 | tee "$build/output" || passed=$?

# A file without an error has only warnings: tests ask for more memory than there is.
mapfile -t findings < <(grep -l "ERROR: AddressSanitizer" "$log".* 2>/dev/null || true)
undefined=$(grep -c ": runtime error: " "$build/output" || true)
if ((${#findings[@]} + undefined > 0)); then
  ((${#findings[@]} == 0)) || cat "${findings[@]}"
  echo "ASan: findings in ${#findings[@]} processes; undefined behavior: $undefined"
  exit 1
fi
if ((passed != 0)); then
  echo "ASan: no findings, but tests failed"
  exit 1
fi
echo "ASan: no findings"
