"""Where a spec may reach."""

import os

import pytest

from gradcheck_cli.spec.folders import Folders, Unusable, project_root


@pytest.fixture
def project(tmp_path):
    """A project with a spec two folders down, and something beside the project."""
    root = tmp_path / "project"
    (root / "specs" / "deep").mkdir(parents=True)
    (root / "pyproject.toml").write_text("")
    (tmp_path / "elsewhere").mkdir()
    return root


def test_project_is_the_nearest_folder_upwards_with_a_pyproject(project):
    assert Folders(project / "specs" / "deep").project == project.resolve()
    (project / "specs" / "pyproject.toml").write_text("")
    assert Folders(project / "specs" / "deep").project == (project / "specs").resolve()


@pytest.mark.parametrize("make", ["mkdir", "touch"])  # a file in a worktree and in a submodule
def test_a_git_repository_is_a_project(tmp_path, make):
    (tmp_path / "repository" / "specs" / "deep").mkdir(parents=True)
    root = tmp_path / "repository"
    getattr(root / ".git", make)()
    assert project_root(root / "specs" / "deep") == project_root(root) == root.resolve()
    assert Folders(root / "specs").locate("../a.py") == root / "specs" / "../a.py"
    (root / "specs" / "pyproject.toml").touch()
    assert project_root(root / "specs" / "deep") == (root / "specs").resolve()
    with pytest.raises(Unusable, match="outside"):
        Folders(root / "specs").locate("../a.py")


def test_a_missing_file_is_suggested_from_higher_up_in_the_project(project):
    (project / "ops").mkdir()
    for path in ("losses.py", "ops/norm.py", "specs/deep/mine.py", "../outside.py"):
        (project / path).touch()
    folders = Folders(project / "specs" / "deep")
    assert folders.near_file("losses.py", [".py"]) == "it lies higher up: '../../losses.py'"
    assert folders.near_file("ops/norm.py", [".py"]) == "it lies higher up: '../../ops/norm.py'"
    assert folders.near_file("mime.py", [".py"]) == "did you mean 'mine.py'?"
    assert folders.near_file("outside.py", [".py"]) == ""


@pytest.mark.parametrize("text", ["a.py", "x/a.py", "./a.py", "../a.py", "../../ops/a.py", "x/../a.py", "ü.py"])
def test_paths_inside_the_project_are_located(project, text):
    folder = project / "specs" / "deep"
    assert Folders(folder).locate(text) == folder / text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("../../../elsewhere/a.py", "outside the spec's folder and its project"),
        ("/etc/passwd", "relative to the spec"),
        ("..\\a.py", "relative to the spec"),
        ("", "printable"),
        (" ", "printable"),
        ("a\x1b.py", "printable"),
        ("a\nb.py", "printable"),
    ],
)
def test_other_paths_are_refused(project, text, words):
    with pytest.raises(Unusable, match=words):
        Folders(project / "specs" / "deep").locate(text)


def test_folder_of_the_spec_is_allowed_without_a_project(tmp_path):
    folders = Folders(tmp_path)
    assert folders.locate("sub/a.py") == tmp_path / "sub/a.py"
    if folders.project is None:
        with pytest.raises(Unusable, match="outside"):
            folders.locate("../a.py")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links here")
def test_link_that_leads_out_is_refused(project):
    (project / "specs" / "out").symlink_to(project.parent / "elsewhere")
    (project / "specs" / "in").symlink_to(project / "specs" / "deep")
    folders = Folders(project / "specs")
    assert folders.locate("in/a.py") == project / "specs/in/a.py"
    with pytest.raises(Unusable, match="outside"):
        folders.locate("out/a.py")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links here")
def test_circle_of_links_is_no_file(project):
    (project / "specs" / "loop.py").symlink_to(project / "specs" / "loop.py")
    folders = Folders(project / "specs")
    assert not folders.is_file(folders.locate("loop.py"))


def test_only_regular_files_are_files(project):
    folders = Folders(project)
    assert folders.is_file(project / "pyproject.toml")
    assert not folders.is_file(project / "specs")
    assert not folders.is_file(project / ("x" * 5000))
