"""Patterns of files and folders mean what they mean in .gitignore."""

from pathlib import Path

import pytest

from gradcheck_cli.path_patterns import matches_any

FOLDERS = ("specs", "specs/old", "specs/old/deep", "old", "a-b")
FILES = (
    "a.grad.yaml",
    "specs/a.grad.yaml",
    "specs/old/b.grad.yaml",
    "specs/old/deep/c.grad.yaml",
    "old/d.grad.yaml",
    "a-b/[x].yaml",
    "a-b/x.yaml",
)


@pytest.fixture
def root(tmp_path):
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    for file in FILES:
        (tmp_path / file).write_text("")
    return tmp_path


def matched(root, *patterns, inside=False):
    return {path for path in (*FOLDERS, *FILES) if matches_any(str(root / path), root, patterns, inside=inside)}


ALL_SPECS = {path for path in FILES if path.endswith(".grad.yaml")}


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*.grad.yaml", ALL_SPECS),
        ("specs/**/*.grad.yaml", {path for path in ALL_SPECS if path.startswith("specs/")}),
        ("./specs/*.grad.yaml", {"specs/a.grad.yaml"}),
        ("/specs/*.grad.yaml", {"specs/a.grad.yaml"}),
        ("specs/*.grad.yaml", {"specs/a.grad.yaml"}),
        ("**/b.grad.yaml", {"specs/old/b.grad.yaml"}),
        ("**/a.grad.yaml", {"a.grad.yaml", "specs/a.grad.yaml"}),
        ("specs/**", {"specs/old", "specs/old/deep"} | {path for path in ALL_SPECS if path.startswith("specs/")}),
        ("*/old", {"specs/old"}),
        ("old", {"old", "specs/old"}),
        ("old/", {"old", "specs/old"}),
        ("/old/", {"old"}),
        ("/old", {"old"}),
        ("a.grad.yaml/", set()),
        ("?.grad.yaml", ALL_SPECS),
        ("[ac].grad.yaml", {"a.grad.yaml", "specs/a.grad.yaml", "specs/old/deep/c.grad.yaml"}),
        ("[!a-c].grad.yaml", {"old/d.grad.yaml"}),
        ("[^a-c].grad.yaml", {"old/d.grad.yaml"}),
        ("a[+--]b", {"a-b"}),
        (r"\[x].yaml", {"a-b/[x].yaml"}),
        ("[x].yaml", {"a-b/x.yaml"}),
        ("[x.yaml", set()),
        ("specs?old", set()),
        ("specs[/]old", set()),
        ("[z-a].yaml", set()),
        ("[!z-a].yaml", {"a-b/x.yaml"}),
        (r"[\]x].yaml", {"a-b/x.yaml"}),
        ("[x-].yaml", {"a-b/x.yaml"}),
        ("[[x||~~&&--].yaml", {"a-b/x.yaml"}),
        ("(.*", set()),
        ("A.GRAD.YAML", set()),
    ],
)
def test_a_pattern_matches_what_it_does_in_gitignore(root, pattern, paths):
    assert matched(root, pattern) == paths


def test_the_last_pattern_that_fits_decides(root):
    assert matched(root, "*.grad.yaml", "!specs/*.yaml") == ALL_SPECS - {"specs/a.grad.yaml"}
    assert matched(root, "!specs/*.yaml", "*.grad.yaml") == ALL_SPECS
    assert matched(root, "old/", "!/old/") == {"specs/old"}


def test_what_is_in_a_folder_is_meant_where_it_is_wanted(root):
    assert matched(root, "specs/old/", inside=True) == {
        "specs/old",
        "specs/old/deep",
        "specs/old/b.grad.yaml",
        "specs/old/deep/c.grad.yaml",
    }
    assert matched(root, "old", inside=True) == {"old", "specs/old"}


def test_the_root_may_be_reached_through_a_link_and_from_anywhere(root, tmp_path_factory, monkeypatch):
    link = tmp_path_factory.mktemp("links") / "root"
    link.symlink_to(root)
    assert matches_any(str(link / "specs" / "a.grad.yaml"), root, ["specs/*.yaml"])
    monkeypatch.chdir(root / "specs")
    assert matches_any("a.grad.yaml", Path(".."), ["specs/*.yaml"])
    assert matches_any("../old/d.grad.yaml", Path("."), ["*.grad.yaml"])
    assert not matches_any("../old/d.grad.yaml", Path("."), ["old/*.yaml"])


def test_a_link_has_the_name_by_which_it_is_found(root):
    (root / "specs" / "link.grad.yaml").symlink_to(root / "old" / "d.grad.yaml")
    assert matches_any(str(root / "specs" / "link.grad.yaml"), root, ["specs/*.yaml"])
    assert not matches_any(str(root / "specs" / "link.grad.yaml"), root, ["old/*.yaml"])
