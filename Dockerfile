# crunchpy as a container. Build:  docker build -t crunchpy .
# Run for this machine alone:      docker run -p 127.0.0.1:8080:8080 -v crunchpy-ca:/var/lib/crunchpy crunchpy
# See deploy/compose.yaml for the same with its volumes, and for use by other devices.

FROM python:3.13-slim AS build
WORKDIR /src
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY constraints.txt pyproject.toml ./
RUN pip install -c constraints.txt build hatchling cython setuptools
COPY . .
RUN python -m build --wheel --no-isolation --outdir /dist \
    && python -m venv /opt/crunchpy \
    && /opt/crunchpy/bin/pip install -c constraints.txt /dist/*.whl

FROM python:3.13-slim
LABEL org.opencontainers.image.title="crunchpy" org.opencontainers.image.licenses="MIT"
RUN useradd --system --uid 10001 --home-dir /var/lib/crunchpy --shell /usr/sbin/nologin crunchpy \
    && install -d -o crunchpy -g crunchpy -m 0700 /var/lib/crunchpy \
    && install -d -m 0755 /etc/crunchpy
COPY --from=build /opt/crunchpy /opt/crunchpy
COPY deploy/healthcheck.py /opt/crunchpy/healthcheck.py
ENV PATH=/opt/crunchpy/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CRUNCHPY_CACHE=/var/lib/crunchpy/cache \
    CRUNCHPY_CONFDIR=/var/lib/crunchpy/ca
USER 10001

# The certificate authority's key, made at the first start: keep it, and give it to nobody. Beside it the fetched
# filter lists.
VOLUME /var/lib/crunchpy
# Own plugins/, settings/ and genres.yaml, an overlay over the built-in ones. Mount it read-only: plugins are code.
VOLUME /etc/crunchpy

EXPOSE 8080
# A request through the proxy to a page that the proxy itself answers, so that no other server decides its health.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "/opt/crunchpy/healthcheck.py"]
ENTRYPOINT ["crunchpy"]
# Inside the container it listens on every interface, which `serve` refuses without a login or a list of clients. The
# list names the private networks that container engines use. Docker may show every client as its own gateway, so what
# really decides who gets in is the address that -p publishes: 127.0.0.1:8080:8080 means this machine alone.
CMD ["serve", "--listen", "0.0.0.0:8080", "--allow", "10.0.0.0/8", "--allow", "172.16.0.0/12", "--allow", "192.168.0.0/16"]
