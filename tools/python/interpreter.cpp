// Python with the extension compiled in, as the module `_core`: what tests the package where libraries are not made for
// a shared one. Takes the arguments of python3.
#include <Python.h>

// Python prescribes the name.
extern "C" PyObject* PyInit__core();  // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)

int main(int argc, char** argv) {
  if (PyImport_AppendInittab("_core", &PyInit__core) != 0) return 1;
  return Py_BytesMain(argc, argv);
}
