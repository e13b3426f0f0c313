"""Pages of the findings that are told on other floors, each in one place; a detector's page is its docstring."""
