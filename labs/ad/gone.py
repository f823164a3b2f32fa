#!/usr/bin/python3
"""gone.py SMB_CONF LOGIN: deletes somebody, beside a running controller."""
import sys
from samba.auth import system_session
from samba.param import LoadParm
from samba.samdb import SamDB

lp = LoadParm(); lp.load(sys.argv[1])
db = SamDB(url=lp.samdb_url(), session_info=system_session(), lp=lp)
db.deleteuser(sys.argv[2])
