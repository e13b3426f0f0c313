"""Files that are written whole: what they replace, what they leave behind, and who may read them."""

import os
import stat

import pytest

from gradcheck_cli.files import create_whole, write_whole


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
@pytest.mark.parametrize("rights", [0o600, 0o640, 0o444, 0o755])
def test_a_file_keeps_its_rights_when_it_is_replaced(tmp_path, rights):
    path = tmp_path / "a.xml"
    path.write_text("old")
    path.chmod(rights)
    write_whole(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", rights)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_a_new_file_has_the_rights_of_any_other(tmp_path):
    write_whole(tmp_path / "a", "new")
    create_whole(tmp_path / "b", "new")
    (tmp_path / "c").write_text("")
    assert len({stat.S_IMODE((tmp_path / name).stat().st_mode) for name in "abc"}) == 1


def test_nothing_is_left_beside_it(tmp_path):
    write_whole(tmp_path / "a", "one")
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "a", "two \ud800")
    with pytest.raises(FileExistsError):
        create_whole(tmp_path / "a", "three")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "one"
