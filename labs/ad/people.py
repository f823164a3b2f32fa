#!/usr/bin/python3
"""people.py SMB_CONF: the people of the lab, straight into the directory's data (before or while it runs)."""
import sys
from samba.auth import system_session
from samba.param import LoadParm
from samba.samdb import SamDB

lp = LoadParm(); lp.load(sys.argv[1])
db = SamDB(url=lp.samdb_url(), session_info=system_session(), lp=lp)
base = db.domain_dn()
SECRET = "Lab-secret-1"


def change(dn, **values):
    db.modify_ldif("dn: %s\nchangetype: modify\n" % dn + "".join(
        "replace: %s\n%s: %s\n-\n" % (k, k, v) for k, v in values.items()))


db.transaction_start()
for ou in ("People", "Groups"):
    db.add({"dn": "OU=%s,%s" % (ou, base), "objectClass": "organizationalUnit"})
for n, who in enumerate(("alice", "bob", "dave", "erin"), 20001):
    db.newuser(who, SECRET, userou="OU=People", givenname=who.title(), surname="Lab", mailaddress=who + "@lab.internal",
               uidnumber=n, gidnumber=20000, unixhome="/home/" + who, loginshell="/bin/bash", uid=who)
db.newuser("carol", SECRET, userou="OU=People")  # no POSIX attributes
db.newuser("reader", SECRET, userou="CN=Users", description="read-only bind account")
db.disable_account("(sAMAccountName=bob)")
change(db.search(base, expression="(sAMAccountName=erin)", attrs=[])[0].dn, accountExpires=131000000000000000)  # 2016
for name, gid in (("staff", 20000), ("research", 20100), ("physics", 20101), ("plain", None)):
    extra = {"gidnumber": gid, "nisdomain": "lab"} if gid else {}
    db.newgroup(name, groupou="OU=Groups", **extra)
# dave is in research only through physics; physics has a gidNumber of its own.
for group, members in (("staff", ["alice", "bob", "dave", "erin"]), ("physics", ["dave"]), ("research", ["alice", "physics"]),
                       ("plain", ["carol", "research"])):
    db.add_remove_group_members(group, members, add_members_operation=True)
db.transaction_commit()
