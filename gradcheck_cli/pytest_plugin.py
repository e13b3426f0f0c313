"""The pytest plugin: each case of a spec is a test, and one that isn't as expected fails with its report.

pytest loads this module in every run of everybody who has the package. So it imports nothing else of it until a tree
holds a spec, or a pyproject.toml that speaks of gradcheck.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gradcheck_cli.bridges.library import Library
    from gradcheck_cli.records import CaseResult
    from gradcheck_cli.run.environment import Environment
    from gradcheck_cli.run.options import Options
    from gradcheck_cli.settings import Settings
    from gradcheck_cli.spec.case import Case

_SPEC_SUFFIX = ".grad.yaml"
_NAMED_SUFFIXES = (".yaml", ".yml")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect a spec: what a walk finds under a pattern, and YAML that is named and that nobody else takes."""
    collected = yield
    alone = not collected and file_path.suffix in _NAMED_SUFFIXES and parent.session.isinitpath(file_path)
    if alone or _shared(parent).takes(file_path, parent.session):
        return [*collected, GradSpec.from_parent(parent, path=file_path)]
    return collected


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the report of what passed with -rP and -rA, and let what is skipped point to its line of the spec."""
    report = yield
    if isinstance(item, GradCase) and call.when == "call":
        if item.text:
            report.sections.insert(0, ("gradcheck", item.text))
        if report.skipped and isinstance(report.longrepr, tuple):
            report.longrepr = (str(item.path), item.line, report.longrepr[2])
    return report


class GradSpec(pytest.File):
    """A spec file."""

    def collect(self) -> Iterator[GradCase]:
        """Yield its cases. Raises CollectError with all that is wrong with the file."""
        from gradcheck_cli.errors import GradcheckError
        from gradcheck_cli.run.collect import given_operators, load_cases
        from gradcheck_cli.run.find import SpecFile

        shared = _shared(self)
        try:
            options = shared.options(self.path.parent)
            file = SpecFile(self.path, _from_start(self.path, self.config))
            cases = load_cases(file, shared.library, given_operators(options, shared.library), options)
        except GradcheckError as error:
            raise self.CollectError(str(error)) from None
        taken: set[str] = set()
        for case in cases:
            name = _free(_item_name(case.name), taken)
            # The id as text, since pytest reads a `[` differently in a name; --lf compares both kinds.
            yield GradCase.from_parent(self, name=name, nodeid=f"{self.nodeid}::{name}", case=case)


class GradCase(pytest.Item):
    """A case of a spec: the test of one expression's gradients."""

    def __init__(self, *, case: Case, **others: Any) -> None:
        super().__init__(**others)
        self._case = case
        self.line = case.location.line
        self.text = ""
        self.extra_keyword_matches.update(case.tags)
        for tag in case.tags:
            if _is_marker(tag, self.config):
                self.add_marker(tag)

    def runtest(self) -> None:
        """Check the case. Raises UnexpectedVerdict unless it ends as the spec expects."""
        from gradcheck_cli.records import Verdict
        from gradcheck_cli.report.block import View, case_text
        from gradcheck_cli.report.headline import headline

        self.text = ""
        result = self._result()
        if result.verdict is Verdict.SKIP:
            pytest.skip(result.error or "not checked")
        text = case_text(result, View(options=_shared(self).words(self.path.parent, self.config)))
        if not result.ok:
            raise UnexpectedVerdict(headline(result), text)
        self.text = text

    def _result(self) -> CaseResult:
        from gradcheck_cli.run.case import Interrupted, check_case
        from gradcheck_cli.run.interrupt import hearing
        from gradcheck_cli.run.warned import Warned

        options = _shared(self).options(self.path.parent)
        with hearing() as interrupts:
            try:
                names = [each.name for each in self._case.parameters]
                result = check_case(self._case, names, options, interrupts=interrupts, watcher=Warned())
            except Interrupted:
                raise KeyboardInterrupt from None
        if interrupts.pressed:
            raise KeyboardInterrupt
        return result

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the report of a case in place of a traceback, which would show only gradcheck itself."""
        if not isinstance(excinfo.value, UnexpectedVerdict):
            return super().repr_failure(excinfo, style)
        shown = excinfo.getrepr(style="value")
        if shown.reprcrash:  # what --tb=line, the summary and JUnit's `message` show
            shown.reprcrash.path = str(self.path)
            shown.reprcrash.lineno = self.line
            shown.reprcrash.message = excinfo.value.headline
        return shown

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the case stands, its line counted from 0, and its name."""
        return self.path, self.line - 1, self.name


class UnexpectedVerdict(AssertionError):
    """A case didn't end as its spec expects; the message is its report, `headline` sums it up in one line."""

    def __init__(self, headline: str, text: str) -> None:
        self.headline = headline
        super().__init__(text)


class _Shared:
    """What the specs of one session share: settings by folder, and operator files, each of which is loaded once."""

    def __init__(self) -> None:
        self._settings: dict[Path, Settings] = {}
        self._mentions: dict[Path, bool] = {}
        self._configured = "GRADCHECK_CONFIG" in os.environ

    @cached_property
    def library(self) -> Library:
        from gradcheck_cli.bridges.library import Library

        return Library()

    @cached_property
    def environment(self) -> Environment:
        from gradcheck_cli.run.environment import read_environment

        return read_environment(os.environ)

    def options(self, folder: Path) -> Options:
        """Return the options for the specs of a folder. Raises SettingsError."""
        return self.environment.options(self.settings(folder))

    def settings(self, folder: Path) -> Settings:
        """Return the settings that hold for the specs of a folder. Raises SettingsError."""
        if folder not in self._settings:
            self._settings[folder] = self.environment.settings_for(folder)
        return self._settings[folder]

    def words(self, folder: Path, config: pytest.Config) -> tuple[str, ...]:
        """Return the options with which `gradcheck run` does the same to a spec of a folder."""
        from gradcheck_cli.errors import GradcheckError

        file = self.settings(folder).file
        try:
            same = self.settings(config.invocation_params.dir).file == file
        except GradcheckError:
            same = False
        which = () if same else ("--config", _from_start(file, config)) if file else ("--isolated",)
        return (*self.environment.words, *which)

    def takes(self, path: Path, session: pytest.Session) -> bool:
        """Tell whether a file is a spec by its name, and isn't excluded. Raises CollectError for wrong settings."""
        if not (self._configured or self._has_settings(path.parent)):
            return path.name.endswith(_SPEC_SUFFIX)
        from gradcheck_cli.errors import GradcheckError

        try:
            settings = self.settings(path.parent)
        except GradcheckError as error:
            raise pytest.Collector.CollectError(str(error)) from None
        if session.isinitpath(path):  # what is named is meant
            return replace(settings, exclude=()).includes(str(path))
        return settings.includes(str(path)) and not any(map(settings.excludes, _walked(path, settings.root, session)))

    def _has_settings(self, folder: Path) -> bool:
        """Tell whether a pyproject.toml speaks of gradcheck, from `folder` upwards."""
        if folder not in self._mentions:
            file = folder / "pyproject.toml"
            self._mentions[folder] = _speaks_of_us(file) or (
                folder != folder.parent and self._has_settings(folder.parent)
            )
        return self._mentions[folder]


_SHARED = pytest.StashKey[_Shared]()


def _shared(node: pytest.Collector | pytest.Item) -> _Shared:
    return node.config.stash.setdefault(_SHARED, _Shared())


def _speaks_of_us(file: Path) -> bool:
    try:
        return file.is_file() and b"gradcheck" in file.read_bytes()
    except OSError:  # said where there are specs
        return False


def _walked(path: Path, root: Path, session: pytest.Session) -> Iterator[str]:
    """Yield the folders that a walk passed through on its way to `path`, which its start is not."""
    for folder in path.parents:
        if session.isinitpath(folder) or folder == root:
            return
        yield str(folder)


def _from_start(path: Path, config: pytest.Config) -> str:
    """Return the path by which `gradcheck run` finds a file where pytest was started."""
    try:
        return Path(os.path.relpath(path, config.invocation_params.dir)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def _item_name(name: str) -> str:
    """Return the name of a case as pytest can find it in an id again.

    It splits ids at `::`, but not behind `[`; and it puts them into the environment. Between two colons a space is
    added to those that stand there, so that names which differ in them alone still do.
    """
    from gradcheck_cli.report.plain import safe

    head, bracket, rest = safe(name, sys.getfilesystemencoding()).partition("[")
    return re.sub(":( *)(?=:)", r":\1 ", head) + bracket + rest


def _free(name: str, taken: set[str]) -> str:
    """Return a name that no other case of the file has, and take it: two may look the same once they are escaped."""
    free = next(
        each for number in itertools.count(1) if (each := name if number == 1 else f"{name} ({number})") not in taken
    )
    taken.add(free)
    return free


def _is_marker(tag: str, config: pytest.Config) -> bool:
    """Tell whether `-m` can select by a tag; make it known if so.

    A marker that takes arguments does something to a test (`skipif`, `timeout`), which no tag means.
    """
    if not re.fullmatch(r"[^\W_][\w.+/-]*", tag):
        return False
    known = {line.partition(":")[0].strip() for line in config.getini("markers")}
    if any(each.startswith(f"{tag}(") for each in known):
        return False
    if tag not in known:
        config.addinivalue_line("markers", f"{tag}: a tag of gradient specs")
    return True
