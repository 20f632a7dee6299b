#include "app/version.h"

#include "app/cpu.h"

namespace dragoman {

std::string version_text() {
  const std::string commit = DRAGOMAN_COMMIT;
#ifdef __clang__
  const std::string compiler = std::string("Clang ") + __clang_version__;
#else
  const std::string compiler = std::string("GCC ") + __VERSION__;
#endif
  return std::string("dragoman ") + DRAGOMAN_VERSION + " (" + (commit.empty() ? "" : "commit " + commit + ", ") +
         compiler + ", " + instruction_set() + ")";
}

}  // namespace dragoman
