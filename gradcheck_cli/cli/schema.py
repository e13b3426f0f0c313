"""`gradcheck schema`: the JSON Schema of specs, with which editors complete and validate."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcheck_cli.cli.streams import user_output_to_stderr


def schema(
    operators: Annotated[
        bool, typer.Option("--operators", help="That of a list of operators, as --ops takes it, in place of specs.")
    ] = False,
) -> None:
    """Print the JSON Schema of specs (draft-07), with which editors complete and validate.

    It tells every key with its description, default and examples, and holds for each document of a file. To use it:
    gradcheck schema > gradcheck.schema.json, and map *.grad.yaml to that file in the editor.
    """
    # Here, since it imports NumPy and pydantic.
    import json

    from gradcheck_cli.spec.json_schema import operators_schema, spec_schema

    with user_output_to_stderr() as stdout:
        # ASCII alone, so that the file is right in whatever encoding a shell writes it.
        stdout.write(json.dumps(operators_schema() if operators else spec_schema(), indent=2) + "\n")
