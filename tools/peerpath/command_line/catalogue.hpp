// The subcommands of peerpath.
#pragma once

#include <span>

#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

std::span<const Command> catalogue();

// One function a subcommand, each in the file of its name.
Exit run(const Arguments& arguments, Terminal& terminal);
Exit check(const Arguments& arguments, Terminal& terminal);
Exit show(const Arguments& arguments, Terminal& terminal);
Exit list(const Arguments& arguments, Terminal& terminal);
Exit explain(const Arguments& arguments, Terminal& terminal);
Exit schema(const Arguments& arguments, Terminal& terminal);
Exit report(const Arguments& arguments, Terminal& terminal);
Exit doctor(const Arguments& arguments, Terminal& terminal);
Exit compare(const Arguments& arguments, Terminal& terminal);
Exit import(const Arguments& arguments, Terminal& terminal);
Exit calibrate(const Arguments& arguments, Terminal& terminal);
Exit manual(const Arguments& arguments, Terminal& terminal);
Exit measure(const Arguments& arguments, Terminal& terminal);
Exit emulate(const Arguments& arguments, Terminal& terminal);
Exit route(const Arguments& arguments, Terminal& terminal);
Exit sweep(const Arguments& arguments, Terminal& terminal);
Exit test(const Arguments& arguments, Terminal& terminal);
Exit validate(const Arguments& arguments, Terminal& terminal);
Exit completion(const Arguments& arguments, Terminal& terminal);

}  // namespace peerpath::cli
