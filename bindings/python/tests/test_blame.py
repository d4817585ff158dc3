"""Who is to blame for an exception: the solver, or what serves it."""
import subprocess
import sys
import sysconfig

import pytest

GLUE = """
import sys
import ipafuzz.runner, library
from ipafuzz.blame import SolverFault
class Served:
    def add(self, clause): pass
    def option(self, name, value): CALL
    def solve(self, assumptions): CALL
    def val(self, literal): return 0
    def core(self): return ()
ipafuzz.runner.serve(Served, fork=FORK, glue=(__file__,))
"""
LIBRARY = """
import json
def refuses(): raise ValueError('no such model')
def reads(text): return json.loads(text)
def wraps():
    try: refuses()
    except ValueError as why: raise KeyError from why
def calls(back): return back()
"""

OURS, SOLVERS = "ours", "the solver's"


@pytest.mark.parametrize("fork", ["True", "False"])
@pytest.mark.parametrize("call, whose", [
    ("return {}[7]", OURS),
    ("return int('abc')", OURS),
    ("return self.no_such_method()", OURS),
    ("return library.no_such_function()", OURS),
    ("return library.refuses('too much')", OURS),
    ("return library.calls(lambda: {}[7])", OURS),
    ("import json; return json.loads('{')", OURS),
    ("assert False", OURS),
    ("return library.refuses()", SOLVERS),
    ("return library.reads('{')", SOLVERS),
    ("return library.wraps()", SOLVERS),
    ("""
        try: library.refuses()
        except ValueError as why: raise RuntimeError from why""", SOLVERS),
    ("raise SolverFault('there is no model')", SOLVERS),
    ("return 'abc'", SOLVERS),
    # Extensions have no frames.
    ("return extension.fail()", SOLVERS),
    ("return extension.fail('too much')", OURS),
])
def test_blame(tmp_path, fork, call, whose):
    if "extension" in call:
        build(tmp_path)
        call = "import extension; " + call
    (tmp_path / "library.py").write_text(LIBRARY)
    (tmp_path / "served.py").write_text(GLUE.replace("CALL", call, 2).replace("FORK", fork))
    sent = "ipafuzz 1 ipasir\ninit\nadd 1 0\nsolve\nval 1\nrelease\nend\n"
    ran = subprocess.run([sys.executable, str(tmp_path / "served.py")], input=sent, capture_output=True, text=True,
                         timeout=60)
    if whose is OURS:
        assert ran.returncode == 70 and "\nipafuzz-mistake: " in ran.stderr, ran
        assert "threw" not in ran.stdout
    else:
        assert ran.returncode == 0 and ran.stdout.splitlines()[-4].startswith('threw "'), ran
        assert "ipafuzz-mistake" not in ran.stderr


def build(into):
    """Builds an extension that fails."""
    (into / "extension.c").write_text(r"""
#include <Python.h>
static PyObject *fail(PyObject *self, PyObject *none)
{
    PyErr_SetString(PyExc_RuntimeError, "the search failed");
    return NULL;
}
static PyMethodDef methods[] = {{"fail", fail, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "extension", "", -1, methods};
PyMODINIT_FUNC PyInit_extension(void) { return PyModule_Create(&module); }
""")
    header = sysconfig.get_path("include")
    made = subprocess.run(["cc", "-shared", "-fPIC", f"-I{header}", "-o", into / "extension.so", into / "extension.c"],
                          capture_output=True, text=True)
    if made.returncode:
        pytest.skip("no C compiler or no header of Python")
