#!/bin/sh
# contract.sh: starts the lab, runs the drivers' contract and what sites may want of their servers through it
# (OpenStackLabContractTest, OpenStackLabServersTest), ends the lab.
# Exit code 0 only when the contract ran, passed, and nothing is left. Needs install.sh before, and Maven with its artifacts.
#   LAB_IP  where the lab listens (127.0.0.8)
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/spillway-openstack-contract.XXXXXX") || exit 1
lab=$scratch/lab
clean_up() {
  "$here/down.sh" "$lab" || exit 1
  rm -rf "$scratch"
}
trap 'exit 143' TERM INT
trap clean_up EXIT

LAB_IP=${LAB_IP:-127.0.0.8} LAB_HOOK="$here/hook_local_cloud.py" "$here/up.sh" "$lab" || exit 1
cd "$root" || exit 1
SPILLWAY_OPENSTACK_LAB=$lab mvn -B -o -pl cloud-director/drivers/openstack -am test -Dspotless.check.skip=true \
  -Dtest='OpenStackLabContractTest,OpenStackLabServersTest' -Dsurefire.failIfNoSpecifiedTests=false \
  >"$scratch/mvn.log" 2>&1
status=$?
reports=$root/cloud-director/drivers/openstack/target/surefire-reports/TEST-org.spillway.cloud.openstack
wants=$reports.OpenStackLabServersTest.xml
reports=$reports.OpenStackLabContractTest.xml
count=$(grep -c '<testcase' "$reports")
wanted=$(grep -c '<testcase' "$wants")
# Only the emulated clouds lie on request: a case that asks for a lie is left out here, and nothing else may be.
skipped=$(grep -c '<skipped' "$reports")
lies=$(grep -c '<skipped.*nobody makes a real Nova lie' "$reports")
if [ "$status" -ne 0 ] || [ "${count:-0}" -lt 30 ] || [ "$skipped" -ne "$lies" ] || [ "$lies" -gt 6 ] ||
  [ "${wanted:-0}" -lt 10 ] || grep -q '<skipped' "$wants"; then
  grep -E 'Tests run:|ERROR|FAIL' "$scratch/mvn.log" | head -n 60
  tail -n 20 "$lab/servers/hook.log" 2>/dev/null
  echo "contract.sh: the contract on the real OpenStack failed (Maven ended with $status)"
  exit 1
fi
echo "| OpenStack lab: $((count - lies)) of the contract's $count cases passed on real Keystone, Nova, Placement, Neutron, Glance and Cinder; the $lies others ask for a lie. $wanted cases of what sites want of servers passed there, too"
