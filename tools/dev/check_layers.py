#!/usr/bin/env python3
"""Fails, with file:line, on an #include that the layer table of docs/architecture.md does not allow.

usage: check_layers.py [ROOT]

What a file reaches through the project's own headers counts as well: a core file that includes a header that includes
<systemc> is refused at the #include through which it got there.
"""

import functools
import os
import re
import sys

import source_tree

# First match wins: a path below the repository, and the layer that it is part of.
LAYER_OF = [
    (r"(include/peerpath|models)/base/", "base"),
    (r"models/devices/\w+/platform\w*\.[ch]pp", "platform"),
    (r"models/devices/\w+/check\w*\.[ch]pp", "scenario"),
    (r"models/traffic/\w+/setup\w*\.[ch]pp", "platform"),
    (r"(include/peerpath|models)/traffic/", "scenario"),
    (r"include/peerpath/pcie/|models/core/pcie/", "pcie"),
    (r"include/peerpath/fabric/", "transactions"),
    (r"include/peerpath/(net|memory|host|device)/|models/(core|devices)/", "core"),
    (r"models/fabric/", "fabric"),
    (r"models/loop/", "loop"),
    (r"models/network/", "network"),
    (r"(include/peerpath|models)/transport/", "transport"),
    (r"models/collective/", "collective"),
    (r"models/flows/", "flows"),
    (r"(include/peerpath|models)/analytic/", "analytic"),
    (r"(include/peerpath|models)/observe/", "observe"),
    (r"(include/peerpath|models)/scenario/", "scenario"),
    (r"(include/peerpath|models)/platform/", "platform"),
    (r"models/machine/", "machine"),
    (r"models/study/", "study"),
    (r"(include/peerpath|models)/sc/", "sc"),
    (r"include/peerpath/c/", "c"),
    (r"models/c/", "behind-c"),
    (r"qemu-devices/", "qemu-devices"),
    (r"include/peerpath/validation/|validation/", "validation"),
    (r"tools/|scenarios/", "tools"),
]
PURE = {"pcie", "transactions", "core", "fabric", "loop", "network", "transport", "collective", "analytic"}
MODEL = {"base"} | PURE | {"flows", "observe", "scenario"}
# What devices and the fabric say to each other stands below both.
SHARED = {"base", "pcie", "transactions"}
# Layers of the project that a layer may include, itself among them.
MAY_USE = {
    "base": {"base"},
    "pcie": {"base", "pcie"},
    "transactions": SHARED,
    "core": SHARED | {"core"},
    "fabric": SHARED | {"fabric"},
    "network": SHARED | {"core", "network"},
    "transport": SHARED | {"core", "network", "transport"},
    "collective": SHARED | {"core", "network", "transport", "collective"},
    "flows": SHARED | {"core", "network", "transport", "collective", "flows"},
    "loop": SHARED | {"core", "fabric", "loop"},
    "analytic": SHARED | {"core", "analytic"},
    "observe": MODEL,
    "scenario": MODEL,
    "platform": MODEL | {"platform"},
    "machine": MODEL | {"platform", "c", "behind-c", "machine"},
    "study": MODEL | {"platform", "study"},
    "sc": MODEL | {"platform", "sc"},
    "c": {"c"},
    "behind-c": {"base", "c", "behind-c"} | PURE,
    "qemu-devices": {"c", "qemu-devices"},
    "validation": MODEL | {"platform", "sc", "validation"},
    "tools": MODEL | {"platform", "machine", "study", "sc", "c", "validation", "tools"},
}
FOREIGN_EVERYWHERE = r"tl/expected\.hpp"
ANYTHING = r".*"
# Headers of others that a layer may include itself (regular expressions); base may have none.
FOREIGN = {
    "base": r"(?!)",
    **{layer: FOREIGN_EVERYWHERE for layer in PURE},
    "flows": FOREIGN_EVERYWHERE + r"|simgrid/.*",  # its judge, in a test
    "observe": FOREIGN_EVERYWHERE + r"|boost/.*|google/protobuf/.*|nlohmann/.*|fmt/.*|.*\.pb\.h|sqlite3\.h",
    "scenario": FOREIGN_EVERYWHERE + r"|boost/.*|nlohmann/.*|fmt/.*|pcap/.*|pcap\.h|.*\.pb\.h",
    "platform": FOREIGN_EVERYWHERE,
    "machine": FOREIGN_EVERYWHERE,
    "study": FOREIGN_EVERYWHERE + r"|nlohmann/.*|fmt/.*",
    "sc": FOREIGN_EVERYWHERE + r"|systemc(\.h)?|tlm(\.h)?|tlm_utils/.*|fmt/.*",
    "c": r"(?!)",
    "behind-c": FOREIGN_EVERYWHERE,
    "qemu-devices": ANYTHING,
    "validation": ANYTHING,
    "tools": ANYTHING,
}
SYSTEMC = r"systemc(\.h)?|tlm(\.h)?|sysc/.*|tlm_core/.*|tlm_utils/.*"
ACCELERATORS_AND_QEMU = r"cuda.*|hip/.*|qemu/.*"
# Headers that a layer may not even reach through another of the project's headers.
NEVER = {
    "base": SYSTEMC,
    **{layer: SYSTEMC for layer in PURE},
    "flows": SYSTEMC,
    "observe": SYSTEMC,
    "scenario": SYSTEMC,
    "platform": SYSTEMC + "|" + ACCELERATORS_AND_QEMU,
    "machine": SYSTEMC + "|" + ACCELERATORS_AND_QEMU,
    "study": SYSTEMC + "|" + ACCELERATORS_AND_QEMU,
    "sc": ACCELERATORS_AND_QEMU,
    "c": SYSTEMC,
    "behind-c": SYSTEMC,
    "qemu-devices": SYSTEMC,
    "validation": SYSTEMC,
    "tools": r"(?!)",
}
# Behaviour is told the time and does no I/O: standard headers that a pure layer may not include itself. No <cmath> and
# no <random> either: results come from integers, so that they are the same bytes on every machine.
IMPURE_STD = set("""
    iostream ostream istream fstream sstream syncstream iomanip print cstdio stdio.h thread mutex shared_mutex
    condition_variable future stop_token semaphore barrier latch ctime time.h filesystem random cmath math.h complex
    locale
""".split())
WALL_CLOCK = re.compile(r"\b(steady_clock|system_clock|high_resolution_clock|clock_gettime|gettimeofday)\b")
STD = set("""
    algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts condition_variable
    coroutine deque exception execution filesystem format forward_list fstream functional future initializer_list
    iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex new numbers numeric
    optional ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span
    sstream stack stdexcept stop_token streambuf string string_view syncstream system_error thread tuple type_traits
    typeindex typeinfo unordered_map unordered_set utility valarray variant vector version cassert cctype cerrno cfenv
    cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar
    cwchar cwctype assert.h errno.h inttypes.h limits.h math.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h
    string.h time.h
""".split())
TEST_FOREIGN = r"gtest/.*|gmock/.*|benchmark/.*|sys/wait\.h|unistd\.h"


@functools.cache
def layer_of(path):
    return next((layer for pattern, layer in LAYER_OF if re.match(pattern, path)), None)


class Tree:
    """The source files with their includes, each resolved to a file of the project where it is one."""

    def __init__(self, root):
        self.root = root
        self.paths = source_tree.files(root, source_tree.CXX)
        known = set(self.paths)
        self.includes = {}
        for path in self.paths:
            here = os.path.dirname(path)
            self.includes[path] = []
            for line, header, _ in source_tree.includes(source_tree.read(root, path)):
                candidates = ("include/" + header, "models/" + header, header, os.path.normpath(f"{here}/{header}"))
                target = next((c for c in candidates if c in known), None)
                self.includes[path].append((line, header, target))

    def foreign_reached(self, path, seen=None):
        """Headers of others that `path` reaches."""
        seen = set() if seen is None else seen
        if path in seen:
            return set()
        seen.add(path)
        found = set()
        for _, header, target in self.includes[path]:
            found |= self.foreign_reached(target, seen) if target else {header}
        return found


def check_include(tree, path, layer, header, target):
    """What is wrong with this include, or None."""
    test = source_tree.is_test(path)
    if target:
        other = layer_of(target)
        # A test may drive its layer with the behaviour that stands beside it, but never with a layer above.
        beside = PURE if test and layer in PURE else set()
        if other not in MAY_USE[layer] | beside:
            return f"{layer} may not use {other} ({header})"
        banned = sorted(h for h in tree.foreign_reached(target) if re.fullmatch(NEVER[layer], h))
        if banned:
            return f"{layer} may not reach <{banned[0]}>, and does through {header}"
        return None
    if re.fullmatch(NEVER[layer], header):
        return f"{layer} may not include <{header}>"
    if test and (header in STD or re.fullmatch(TEST_FOREIGN, header)):
        return None
    if header in STD:
        if layer in PURE and header in IMPURE_STD:
            return f"{layer} may not include <{header}>: behaviour does no I/O, has no threads, clocks or libm"
        return None
    if header.startswith("peerpath/"):
        return f"{header} does not exist"
    if not re.fullmatch(FOREIGN[layer], header):
        return f"{layer} may not include <{header}>"
    private = layer in ("observe", "scenario") and not re.fullmatch(FOREIGN_EVERYWHERE, header)
    if private and path.startswith("include/"):
        return f"<{header}> is private to {layer}: a public header may not show it"
    return None


def problems(root):
    tree = Tree(root)
    for path in tree.paths:
        layer = layer_of(path)
        if layer is None:
            yield f"{path}:1: stands outside every layer"
            continue
        for line, header, target in tree.includes[path]:
            problem = check_include(tree, path, layer, header, target)
            if problem:
                yield f"{path}:{line}: {problem}"
        if layer in PURE | {"base"} and not source_tree.is_test(path):
            text = source_tree.without_comments(source_tree.read(root, path))
            for line, content in enumerate(text.splitlines(), 1):
                if match := WALL_CLOCK.search(content):
                    yield f"{path}:{line}: {layer} is told the time and may not ask {match.group(1)}"


def main(argv):
    root = argv[1] if len(argv) > 1 else "."
    found = list(problems(root))
    print("\n".join(found) if found else "every include is within the layers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
