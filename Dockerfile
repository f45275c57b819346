# Loopwire in one image: `web` by default, `worker` with another command (see compose.yaml and the Procfile).
FROM python:3.13-slim AS packages
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY requirements.lock /tmp/requirements.lock
# The hashes decide what is installed, whatever registry the build uses. Every package has a wheel: no compiler is needed.
RUN python -m venv /venv && /venv/bin/pip install --require-hashes --only-binary :all: --requirement /tmp/requirements.lock

FROM python:3.13-slim
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 HOST=0.0.0.0 PORT=8000 LOOPWIRE_DATA_DIR=/data
RUN useradd --system --uid 10001 --no-create-home loopwire && install --directory --owner loopwire --mode 0700 /data
COPY --from=packages /venv /venv
WORKDIR /app
COPY LICENSE LICENSE
COPY server server
COPY web web
COPY sdk/js sdk/js
# Bytecode is compiled here, since the running user may not write into the image.
RUN python -m compileall -q server
USER loopwire
VOLUME /data
EXPOSE 8000
# 25 s for running answers and 4.5 s to close; the container's stop timeout has to be longer.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f\"http://127.0.0.1:{os.environ['PORT']}/healthz\", timeout=2)"]
CMD ["python", "-m", "server", "web"]
