#!/bin/sh
# Makes sure that a Chromium is there for the tests that look at pages as a browser does.
# Installs Debian's package where that is possible without asking; else says what to install and exits 1.
set -u

for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done

if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root='sudo -n'
    else
        as_root=no
    fi
    if [ "$as_root" != no ]; then
        echo 'Installing chromium for the browser tests ...'
        $as_root apt-get update -qq &&
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null &&
            command -v chromium >/dev/null 2>&1 && exit 0
    fi
fi

cat >&2 <<'EOF'
The browser tests need Chromium, and it could not be installed from here.
  Debian:  sudo apt-get install chromium
  Fedora:  sudo dnf install chromium
Or leave those tests out:  make test BROWSER=no
EOF
exit 1
