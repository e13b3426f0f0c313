"""Settings of a project: which files a walk takes."""

from gradcheck_cli.settings import Settings


def test_patterns_without_a_slash_fit_names_and_others_paths_from_the_root(tmp_path):
    settings = Settings(root=tmp_path, include=("*.grad.yaml", "grad/*.yml"), exclude=("slow", "specs/old/*"))
    taken = {
        "a.grad.yaml": True,
        "deep/b.grad.yaml": True,
        "grad/c.yml": True,
        "other/c.yml": False,
        "specs/old/d.grad.yaml": False,
    }
    assert {path: settings.includes(str(tmp_path / path)) for path in taken} == taken
    assert settings.excludes(str(tmp_path / "deep" / "slow"))
    assert not Settings().excludes("slow")


def test_an_excluded_folder_hides_nothing_of_its_name_elsewhere(tmp_path):
    (tmp_path / "deep" / "old").mkdir(parents=True)
    settings = Settings(root=tmp_path, exclude=("specs/*.grad.yaml", "old/"))
    assert settings.includes(str(tmp_path / "specs" / "old" / "b.grad.yaml"))
    assert not settings.includes(str(tmp_path / "specs" / "b.grad.yaml"))
    assert settings.excludes(str(tmp_path / "deep" / "old"))
