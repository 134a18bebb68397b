"""Tests of the Python package mmp, which must be on PYTHONPATH: what is documented.

Usage: documentation_test.py [unittest's arguments]
"""

import ast
import inspect
import os
import re
import tempfile
import unittest

import mmp
import numpy as np
from PIL import Image

from shared import PACKAGE, PROJECT, gradient


class DocumentationTest(unittest.TestCase):
    def setUp(self):
        self.stubs = ast.parse((PACKAGE / "mmp/_mmp.pyi").read_text()).body

    def test_stubs_have_the_functions(self):
        functions = [node for node in self.stubs if isinstance(node, ast.FunctionDef)]
        self.assertEqual({f.name for f in functions},
                         {name for name, _ in inspect.getmembers(mmp._mmp, inspect.isbuiltin)})
        for function in functions:
            with self.subTest(function.name):
                found = inspect.signature(getattr(mmp._mmp, function.name))
                keywords = zip(function.args.kwonlyargs, function.args.kw_defaults)
                stub = {a.arg: inspect.Parameter.empty for a in function.args.args}
                stub |= {a.arg: eval(ast.unparse(default)) for a, default in keywords}
                self.assertEqual(stub, {p.name: p.default for p in found.parameters.values()})

    def test_stubs_have_the_keys(self):
        stubs = {node.name: [field.target.id for field in node.body]
                 for node in self.stubs if isinstance(node, ast.ClassDef)}
        file, stats = mmp.encode_with_stats(gradient(32, 32), tile=(16, 16))
        info = mmp.info(file)
        damaged = mmp.decode_damaged(file[:-1])[1]
        found = {"Info": info, "TileInfo": info["tiles"][0], "Stats": stats,
                 "DamagedTile": damaged[0]}
        found |= {name: ["code"] for name in self.errors()}
        self.assertEqual(stubs, {name: list(keys) for name, keys in found.items()})

    def errors(self):
        return dict(inspect.getmembers(mmp._mmp, inspect.isclass))

    def test_stubs_have_the_errors(self):
        bases = {node.name: [base.id for base in node.bases] for node in self.stubs
                 if isinstance(node, ast.ClassDef)}
        for name, error in self.errors().items():
            self.assertEqual(bases[name], [base.__name__ for base in error.__bases__])

    def test_stubs_have_the_codes(self):
        stub = {node.name: node for node in self.stubs if isinstance(node, ast.ClassDef)}
        codes = lambda name: {c.value for c in ast.walk(stub[name]) if isinstance(c, ast.Constant)}
        self.assertEqual(codes("Error"), set(re.findall(r'^"(\w+)" ', mmp.Error.__doc__, re.M)))
        for name, error in self.errors().items():
            if error is not mmp.Error:
                self.assertEqual(codes(name), {error.code})

    def test_stubs_have_the_constants(self):
        stubs = {node.target.id: node.annotation.id for node in self.stubs
                 if isinstance(node, ast.AnnAssign)}
        found = {name: type(value).__name__ for name, value in vars(mmp._mmp).items()
                 if isinstance(value, (int, str)) and (name.isupper() or name == "__version__")}
        self.assertEqual(stubs, found)

    def test_package_has_what_the_module_has(self):
        functions = {name for name, _ in inspect.getmembers(mmp._mmp, inspect.isbuiltin)}
        public = functions - {"read_size", "read_metadata"} | self.errors().keys() | {"__version__"}
        self.assertEqual(set(mmp.__all__), public)
        self.assertEqual(len(mmp.__all__), len(public))

    def test_docstrings(self):
        for name in mmp.__all__:
            if name != "__version__":
                self.assertGreater(len(getattr(mmp, name).__doc__), 100, name)

    def test_example_of_the_readme(self):
        examples = re.findall(r"```python\n(.*?)```", (PROJECT / "README.md").read_text(), re.DOTALL)
        self.assertEqual(len(examples), 1)
        previous = os.getcwd()
        self.addCleanup(os.chdir, previous)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            Image.fromarray(gradient()).save("photo.png")
            exec(compile(examples[0], "README.md", "exec"), {})
            with Image.open("photo.mmp") as image:
                self.assertEqual(image.size, (56, 40))
                np.testing.assert_array_equal(np.asarray(image), gradient())
            os.chdir(previous)


if __name__ == "__main__":
    unittest.main()
