"""`ops:` names operator files and modules, within reach of the spec."""

import os
import sys

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.spec.loader import load_spec

OPERATOR = '''
from gradcheck_cli import op

@op
def NAME(x):
    """Twice x."""
    return 2 * x

@NAME.backward
def _(g):
    return 2 * g
'''


def operator(name):
    return OPERATOR.replace("NAME", name)


@pytest.fixture
def project(write):
    """A project folder with a package of operators, and a spec two folders down."""
    write("project/pyproject.toml", "")
    write("project/mine/__init__.py", "")
    write("project/mine/more.py", "from mine.helper import factor\n" + operator("double") + operator("twice"))
    write("project/mine/helper.py", "factor = 2\n")
    return write


def spec(expr, ops):
    return f"ops: {ops}\nexpr: {expr}\nparams: {{x: '3'}}\n"


def test_operator_file_beside_the_spec_is_used(load, write):
    write("my_ops.py", operator("double"))
    for ops in ("my_ops.py", "[my_ops.py]", "[./my_ops.py, my_ops.py]"):
        (case,) = load(spec("double(x)", ops))
        assert [found.name for found in case.expression.operators] == ["double"]
        assert os.path.basename(case.expression.operators[0].file) == "my_ops.py"


def test_own_operator_hides_a_built_in_one(load, write):
    write("my_ops.py", operator("relu"))
    (case,) = load(spec("relu(x)", "my_ops.py"))
    assert case.expression.operators[0].doc == "Twice x."
    assert len(case.scope.shadows("relu")) == 1
    (plain,) = load("expr: relu(x)\nparams: {x: '3'}\n")
    assert plain.expression.operators[0].doc != "Twice x."


def test_operators_of_the_command_line_stand_behind_own_ones(load, write, operators):
    (case,) = load("expr: root(x)\nparams: {x: '3'}\n", given=operators)
    assert case.expression.operators[0] is operators["root"]
    write("my_ops.py", operator("root"))
    (case,) = load(spec("root(x)", "my_ops.py"), given=operators)
    assert case.expression.operators[0].doc == "Twice x."


def test_cases_may_have_operators_of_their_own(load, write):
    write("a.py", operator("double"))
    write("b.py", operator("double").replace("2 * x", "3 * x"))
    cases = load(
        """
        ops: a.py
        params: {x: '3'}
        cases:
          - {name: top, expr: double(x)}
          - {name: own, expr: double(x), ops: [b.py]}
        """
    )
    files = [os.path.basename(case.expression.operators[0].file) for case in cases]
    assert files == ["a.py", "b.py"]


def test_file_elsewhere_in_the_project_is_used(load, project):
    project("project/ops/my_ops.py", operator("double"))
    (case,) = load(spec("double(x)", "../../ops/my_ops.py"), name="project/specs/deep/a.yaml")
    assert case.expression.operators[0].name == "double"


def test_module_of_the_project_is_used_and_forgotten(load, project):
    path, modules = list(sys.path), set(sys.modules)
    (case,) = load(spec("double(x)", "mine.more:double"), name="project/specs/a.yaml")
    assert case.expression.operators[0].name == "double"
    assert case.scope.find("twice") is None
    assert sys.path == path
    assert not [name for name in set(sys.modules) - modules if name.startswith("mine")]


def test_module_is_imported_once_by_a_loader(project, tmp_path):
    project("project/counted.py", "import sys\nsys.counted = getattr(sys, 'counted', 0) + 1\n" + operator("double"))
    loader = Loader()
    try:
        for name in ("project/specs/a.yaml", "project/specs/b.yaml"):
            path = project(name, spec("double(x)", "[counted:double]"))
            load_spec(path, shown=name, loader=loader, given={})
        assert sys.counted == 1
    finally:
        del sys.counted


def test_modules_of_two_projects_are_kept_apart(project, load):
    project("other/pyproject.toml", "")
    project("other/mine/__init__.py", "")
    project("other/mine/more.py", operator("double").replace("Twice", "Thrice"))
    docs = [
        load(spec("double(x)", "mine.more:double"), name=f"{folder}/a.yaml")[0].expression.operators[0].doc
        for folder in ("project", "other")
    ]
    assert docs == ["Twice x.", "Thrice x."]


def test_installed_module_is_used(load):
    (case,) = load(spec("tanh(x)", "gradcheck_cli.ops:tanh"))
    assert case.scope.own["tanh"] is case.expression.operators[0]


def test_module_of_the_current_folder_is_out_of_reach(said, write, tmp_path, monkeypatch):
    write("cwd/stray_module.py", operator("double"))
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.syspath_prepend("")
    write("spec_folder/pyproject.toml", "")
    found = said(spec("double(x)", "stray_module:double"), name="spec_folder/a.yaml")
    assert found == ["1:6 no module named 'stray_module' is installed or in the project [wrong-ops]"]


REFUSED = [
    ("nope.py", "1:6 no operator file 'nope.py' [wrong-ops]"),
    ("my_op.py", "1:6 no operator file 'my_op.py' [wrong-ops] (did you mean 'my_ops.py'?)"),
    (
        "[my_ops.py, ../out.py]",
        "1:18 '../out.py' is outside the spec's folder and its project [wrong-ops] "
        "(a project begins at the nearest pyproject.toml or .git above the spec; "
        "for operators there is --ops FILE, too)",
    ),
    ("/etc/x.py", "1:6 '/etc/x.py' should be relative to the spec, with / between folders [wrong-ops]"),
    ("my_ops", "1:6 'my_ops' is neither a Python file nor module:name [wrong-ops]"),
    ("'os:system; x'", "1:6 'os:system; x' is neither a Python file nor module:name [wrong-ops]"),
    ("os:system", "1:6 the module 'os' has no operator 'system' [wrong-ops]"),
    (
        "gradcheck_cli.ops:tanhh",
        "1:6 the module 'gradcheck_cli.ops' has no operator 'tanhh' [wrong-ops] (did you mean 'tanh'?)",
    ),
    ("no_such_module:f", "1:6 no module named 'no_such_module' is installed or in the project [wrong-ops]"),
    ("os.nothing:f", "1:6 no module named 'os.nothing' is installed or in the project [wrong-ops]"),
    (
        "[3]",
        "1:7 ops should be a file of operators or a list of them, not the number 3 [wrong-type] (ops: [my_ops.py])",
    ),
    ("", "1:5 ops should be a file of operators or a list of them, not empty [wrong-type] (ops: [my_ops.py])"),
    (
        "[[my_ops.py]]",
        "1:7 ops should be a file of operators or a list of them, not a list [wrong-type] (ops: [my_ops.py])",
    ),
    ("folder.py", "1:6 no operator file 'folder.py' [wrong-ops]"),
]


@pytest.mark.parametrize(("ops", "expected"), REFUSED, ids=[ops for ops, _ in REFUSED])
def test_what_is_no_operator_file_is_said_at_its_place(said, write, tmp_path, ops, expected):
    write("my_ops.py", operator("double"))
    write("../out.py", operator("double"))
    (tmp_path / "folder.py").mkdir()
    (found,) = said(spec("unknown_operator(x)", ops))
    assert found.split(" (write a")[0] == expected


def test_file_that_does_not_import_shows_its_own_line(problems, write):
    path = write("my_ops.py", "import os\n\nraise RuntimeError('boom')\n")
    (problem,) = problems(spec("double(x)", "my_ops.py"))
    assert (problem.location.file, problem.location.line) == (str(path), 3)
    assert problem.source == "raise RuntimeError('boom')"
    assert "RuntimeError: boom" in problem.message


def test_module_that_does_not_import_shows_its_own_line(problems, project):
    path = project("project/mine/bad.py", "x = 1\nx.missing\n")
    (problem,) = problems(spec("double(x)", "mine.bad:double"), name="project/a.yaml")
    assert (problem.location.file, problem.location.line) == (str(path), 2)


def test_problem_of_an_operator_file_comes_where_the_spec_names_it(problems, write):
    write("my_ops.py", "1/0\n")
    found = problems("parms: 3\nops: my_ops.py\nexpr: double(x)\nparams: {x: {shape: q}}\n")
    assert [problem.code for problem in found] == ["unknown-key", "import-failed", "unknown-dim"]


def test_two_operators_of_one_name_are_refused(problems, write):
    write("a.py", operator("double"))
    write("b.py", "# moved down\n" + operator("double"))
    (problem,) = problems(spec("double(x)", "[a.py, b.py]"))
    assert problem.code == "same-name"
    assert problem.message.startswith("two operators are named 'double': here and at ")
    assert "a.py:" in problem.message
    assert os.path.basename(problem.location.file) == "b.py"


def test_wrong_declaration_in_an_operator_file_is_said(problems, write):
    path = write("my_ops.py", operator("double").replace("def _(g)", "def _(g, y)"))
    (problem,) = problems(spec("double(x)", "my_ops.py"))
    assert problem.location.file == str(path)
    assert "asks for 'y'" in problem.message


def test_data_only_refuses_operator_files_without_running_them(said, load, write):
    write("my_ops.py", "raise SystemExit('ran')\n")
    assert said(spec("double(x)", "my_ops.py"), data_only=True) == [
        "1:6 --data-only refuses a spec that names operator files [data-only] "
        "(leave --data-only out to run operator files that you trust)"
    ]
    assert len(load("expr: tanh(x)\nparams: {x: '3'}\n", data_only=True)) == 1
