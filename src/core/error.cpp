#include "core/error.h"

namespace dragoman {

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  throw std::logic_error(std::string("internal error at ") + file + ":" + std::to_string(line) + ": " + message + " (" +
                         condition + ")");
}

}  // namespace dragoman
