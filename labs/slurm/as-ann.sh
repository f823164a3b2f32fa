#!/bin/sh
# as-ann.sh COMMAND...: runs it as the lab's user ann.
exec setpriv --reuid=ann --regid=ann --init-groups -- env HOME=/home/ann USER=ann LOGNAME=ann "$@"
