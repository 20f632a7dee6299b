// States of trainings (state.json of a checkpoint).
#include "support.h"
#include "train/training_state.h"

using namespace dragoman;

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const std::string text(data, size);
  fuzz::accepted("input", [&] {
    const std::string stored = write_state(parse_state(text, "input"));
    fuzz::require(write_state(parse_state(stored, "stored")) == stored, "stored and read again it is the same");
  });
  return 0;
}
