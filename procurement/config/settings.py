"""Django settings: one file, everything that differs between installations read from the environment (.env.example)."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONCE, NONE, SELF

from procurement.config import env
from procurement.config.embedded import make_data_folder, servers_of
from procurement.config.embedded_postgresql import programs_folder
from procurement.config.logs import configure_structlog, logging_settings

BASE_DIR = Path(__file__).resolve().parents[2]
env.load_env_file(BASE_DIR / ".env")
DATA_DIR = Path(env.text("DATA_DIR", str(BASE_DIR / "var"))).absolute()
make_data_folder(DATA_DIR)

# --- what it is -------------------------------------------------------------------------------------------------------
DEBUG = env.flag("DEBUG", default=False)
SECRET_KEY = env.text("SECRET_KEY") or env.remembered_secret(DATA_DIR / "secret_key")
SECRET_KEY_FALLBACKS = env.names("SECRET_KEY_FALLBACKS")
HOST = env.text("HOST", "127.0.0.1")
PORT = env.number("PORT", 8000, low=1, high=65535)
PUBLIC_URL = env.text("PUBLIC_URL", f"http://127.0.0.1:{PORT}").rstrip("/")
IS_HTTPS = PUBLIC_URL.startswith("https://")
PUBLIC_HOST = urlsplit(PUBLIC_URL).hostname or "localhost"
ALLOWED_HOSTS = [*env.names("ALLOWED_HOSTS", (PUBLIC_HOST,)), "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]

ROOT_URLCONF = "procurement.config.urls"
WSGI_APPLICATION = "procurement.config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SILENCED_SYSTEM_CHECKS: list[str] = []

INSTALLED_APPS = [
    "procurement",
    "reports",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "pgtrigger",
    "pghistory",
    "django_filters",
    "django_htmx",
    "csp",
]

MIDDLEWARE = [
    "procurement.api.middleware.ApiMiddleware",
    "procurement.config.body_limit.BodyLimitMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "pghistory.middleware.HistoryMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "procurement.views.frame.frame",
            ],
            # tags that read runs stand above the figures that those readers print: not beside them in templatetags
            "libraries": {"report_blocks": "reports.blocks", "report_mail": "reports.mail_blocks"},
        },
    },
]

# --- time and language ------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

# --- servers ----------------------------------------------------------------------------------------------------------
EMBEDDED_SERVERS = servers_of(DATA_DIR)
POSTGRESQL_PROGRAMS = programs_folder()
WEB_WORKERS = env.number("WEB_WORKERS", 2, low=1, high=64)

# --- database ---------------------------------------------------------------------------------------------------------
DATABASE_URL = env.text("DATABASE_URL")
EMBEDDED_DATABASE = {
    "ENGINE": "procurement.config.database",
    "NAME": "postgres",
    "USER": "postgres",
    "HOST": str(EMBEDDED_SERVERS.postgresql.socket_folder),
    "OPTIONS": {},
    "DATA_DIR": DATA_DIR,
}
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.database("DATABASE_URL", DATABASE_URL) if DATABASE_URL else EMBEDDED_DATABASE
}
DATABASES["default"] |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True, "TEST": {"NAME": "test_procurement"}}
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 5,
    "application_name": "procurement",
    **DATABASES["default"]["OPTIONS"],
}

# --- jobs: the rows are the truth, Celery the hands, the broker a doorbell --------------------------------------------
REDIS_URL = env.text("REDIS_URL")
JOB_LEASE_SECONDS = env.number("JOB_LEASE_SECONDS", 30, low=1)
JOB_MAX_ATTEMPTS = 3
JOB_BACKOFF_SECONDS = env.number("JOB_BACKOFF_SECONDS", 5)
JOB_KEEP_DAYS = env.number("JOB_KEEP_DAYS", 30, low=1)
JOB_SOFT_LIMIT_SECONDS = env.number("JOB_SOFT_LIMIT_SECONDS", 600, low=1)
JOB_HARD_LIMIT_SECONDS = JOB_SOFT_LIMIT_SECONDS + 60
RECONCILE_SECONDS = env.number("RECONCILE_SECONDS", 3, low=1)

CELERY_BROKER_URL = REDIS_URL or EMBEDDED_SERVERS.broker_url()
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": JOB_HARD_LIMIT_SECONDS + 60,
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    "health_check_interval": 30,
    "retry_on_timeout": False,
}
CELERY_TASK_PUBLISH_RETRY = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SOFT_TIME_LIMIT = JOB_SOFT_LIMIT_SECONDS
CELERY_TASK_TIME_LIMIT = JOB_HARD_LIMIT_SECONDS
CELERY_TASK_DEFAULT_QUEUE = "procurement"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = env.number("WORKER_CONCURRENCY", 2, low=1, high=64)
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "procurement.config.scheduler.BeatScheduler"
CELERY_BEAT_MAX_LOOP_INTERVAL = 5
CELERY_BEAT_SCHEDULE = {
    "reconcile": {
        "task": "procurement.tasks.reconcile",
        "schedule": float(RECONCILE_SECONDS),
        "options": {"expires": 4 * RECONCILE_SECONDS},
    },
    "clock tick": {"task": "procurement.tasks.clock_tick", "schedule": 60.0, "options": {"expires": 120}},
    "due reports": {"task": "reports.tasks.send_due_reports", "schedule": 10.0, "options": {"expires": 30}},
}

# --- files ------------------------------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)  # WhiteNoise warns where it is missing, before anything was collected
MEDIA_URL = "/media/"
MEDIA_ROOT = DATA_DIR / "media"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
MAX_BODY_BYTES = 52 * 1024 * 1024  # a file of 50 MB with its form
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

# --- e-mail -----------------------------------------------------------------------------------------------------------
EMAIL_URL = env.text("EMAIL_URL")
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", "Compute decisions <noreply@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
if EMAIL_URL:
    globals().update(env.email("EMAIL_URL", EMAIL_URL))
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = DATA_DIR / "mail"

# --- people and security ----------------------------------------------------------------------------------------------
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = IS_HTTPS
CSRF_COOKIE_SECURE = IS_HTTPS
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]
SECURE_HSTS_SECONDS = 31_536_000 if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = IS_HTTPS
SECURE_HSTS_PRELOAD = IS_HTTPS
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.flag("BEHIND_PROXY", default=False) else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# --- interface --------------------------------------------------------------------------------------------------------
API_REQUESTS_PER_MINUTE = env.number("API_REQUESTS_PER_MINUTE", 600, low=1)  # for each token or signed-in user
REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["procurement.api.parsing.StrictJsonParser"],
    "EXCEPTION_HANDLER": "procurement.api.errors.problem_handler",
    "URL_FORMAT_OVERRIDE": None,
    "COERCE_DECIMAL_TO_STRING": True,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Compute decisions",
    "DESCRIPTION": "Quotes, builds, workloads, runs, recommendations and decisions. Decimals are strings, dates ISO, "
    "instants UTC. Lists are paged by cursor. Changes carry If-Match, new records an Idempotency-Key.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": ["procurement.api.schema.shared_components"],
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- logs -------------------------------------------------------------------------------------------------------------
LOG_FORMAT = env.text("LOG_FORMAT", "console" if DEBUG else "json")
configure_structlog()
LOGGING = logging_settings(form=LOG_FORMAT, level=env.text("LOG_LEVEL", "INFO"))
