// dragoman: the command line. Exit codes: 0 done, 1 failed, 2 the user's input is wrong, 129 / 130 / 143 interrupted
// and saved.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "app/commands.h"
#include "app/cpu.h"
#include "app/options.h"
#include "app/stack_size.h"
#include "app/usage_hint.h"
#include "app/version.h"
#include "core/error.h"

namespace {

/// A standard stream that the caller closed would become the first file that is opened, and messages be written there.
/// What takes its place fails as a closed one does.
void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {  // open() takes the lowest one free
    if (::fcntl(stream, F_GETFD) == -1) (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void say_out_of_memory() {
  std::fprintf(stderr,
               "dragoman: out of memory (in training, a smaller training.batch_tokens, model or training.shards needs "
               "less)\n");
}

/// For exceptions in threads that libraries start, where nobody can catch them.
[[noreturn]] void end_in_thread() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    std::fprintf(stderr, "dragoman: terminated\n");
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "dragoman: %s\n", e.what());
  } catch (...) {
    std::fprintf(stderr, "dragoman: an error without a description\n");
  }
  std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_streams();
  std::set_terminate(end_in_thread);
  if (const std::string problem = dragoman::cpu_problem(); !problem.empty()) {
    std::fprintf(stderr, "dragoman: %s\n", problem.c_str());
    return 1;
  }
  if (const std::string problem = dragoman::stack_problem(); !problem.empty()) {
    std::fprintf(stderr, "dragoman: %s\n", problem.c_str());
    return 2;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files (ulimit -f) is a failed write with a message
  CLI::App app{"Dragoman trains and runs small translation models on CPUs."};
  app.name("dragoman");
  app.set_version_flag("--version", dragoman::version_text());
  app.require_subcommand(1);
  dragoman::add_generate(app);
  dragoman::add_train(app);
  dragoman::add_translate(app);
  dragoman::add_score(app);
  dragoman::add_evaluate(app);
  dragoman::add_metrics(app);
  dragoman::add_average(app);
  dragoman::add_inspect(app);
  dragoman::add_config(app);
  dragoman::add_bench(app);
  dragoman::add_replay(app);
  dragoman::refuse_empty_values(app);
  try {
    const auto named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(named).empty()) {
      throw dragoman::UserError(dragoman::unknown_command(app, argv[1]));
    }
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) {
      std::fprintf(stderr, "dragoman: %s\n", dragoman::usage_problem(app, e.what()).c_str());
      return 2;
    }
    app.exit(e);  // --help, --version
  } catch (const dragoman::Interrupted& e) {
    return 128 + e.signal;
  } catch (const dragoman::UserError& e) {
    std::fprintf(stderr, "dragoman: %s\n", e.what());
    return 2;
  } catch (const std::filesystem::filesystem_error& e) {  // a path that can't be followed, such as a loop of links
    std::fprintf(stderr, "dragoman: %s: %s\n", dragoman::one_line(e.path1().string()).c_str(),
                 e.code().message().c_str());
    return 2;
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
    return 1;
  } catch (const std::system_error& e) {
    std::fprintf(stderr, "dragoman: %s (too many threads or processes, or no memory for another?)\n", e.what());
    return 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "dragoman: %s\n", e.what());
    return 1;
  }
  // What was printed must have arrived.
  if (std::fflush(stdout) != 0 || !std::cout.flush()) {
    std::fprintf(stderr, "dragoman: standard output: cannot write\n");
    return 2;
  }
  return 0;
}
