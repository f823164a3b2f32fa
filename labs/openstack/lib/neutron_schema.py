"""neutron_schema.py URL: Neutron's migrations do not run on SQLite, so its tables are made as they are in the end."""
import sys

import sqlalchemy
from neutron.db.migration.models import head

head.get_metadata().create_all(sqlalchemy.create_engine(sys.argv[1]))
