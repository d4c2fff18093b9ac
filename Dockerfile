# One image for web, worker and scheduler; compose.yaml says which is which.
FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app

COPY requirements.lock ./
RUN pip install --no-cache-dir uv && uv pip install --system --no-cache --require-hashes -r requirements.lock

COPY manage.py ./
COPY procurement procurement
COPY providers providers
COPY reports reports
COPY templates templates

RUN useradd --system --uid 10001 --no-create-home service && install -d -o service -g service /data
USER service
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/livez', timeout=4)"]

# Alone it runs everything, with embedded servers in /data.
CMD ["sh", "-c", "python manage.py migrate --verbosity 0 && exec python manage.py serve"]
