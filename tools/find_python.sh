#!/bin/sh
# Prints the path of a Python that crunchpy can run on: 3.12 or newer, with venv and pip's bootstrap.
# Each candidate is run, since a version manager's stand-in may be on the path and yet fail.
# Prints what to install, and exits 1, where there is none.
set -u

question='import sys, venv, ensurepip, ssl, sqlite3
if sys.version_info < (3, 12): sys.exit(1)
print(sys.executable)'

for candidate in "${PYTHON:-}" python3.13 python3.12 python3.14 python3 python \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python; do
    [ -n "$candidate" ] || continue
    if found=$("$candidate" -c "$question" 2>/dev/null) && [ -n "$found" ]; then
        printf '%s\n' "$found"
        exit 0
    fi
done

cat >&2 <<'EOF'
No fitting Python was found: crunchpy needs CPython 3.12 or newer with its venv module.
  Debian 13, Ubuntu 24.04 or newer:  sudo apt-get install python3 python3-venv
  Fedora:                            sudo dnf install python3
  macOS with Homebrew:               brew install python@3.13
  An older system:                   pyenv install 3.13   (pyenv, in your home folder)
Is it somewhere else? Then say where:  make PYTHON=/path/to/python3.13 ...
EOF
exit 1
