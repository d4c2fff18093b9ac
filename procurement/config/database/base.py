"""The backend itself; Django wants the name `base.DatabaseWrapper`."""

from pathlib import Path
from typing import Any

from django.db.backends.postgresql import base

from procurement.config.embedded import servers_of


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL of the data folder named by the entry's `DATA_DIR`."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Start the embedded server unless it runs, then connect."""
        servers_of(Path(self.settings_dict["DATA_DIR"])).start_postgresql()
        return super().get_new_connection(conn_params)
