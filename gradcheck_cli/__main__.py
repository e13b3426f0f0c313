"""`python -m gradcheck_cli`: the command line where no script is installed."""

from gradcheck_cli.cli.main import main

if __name__ == "__main__":
    main()
