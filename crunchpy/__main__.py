"""`python -m crunchpy`: the same as the `crunchpy` command."""

from crunchpy.cli import main

if __name__ == "__main__":
    main()
