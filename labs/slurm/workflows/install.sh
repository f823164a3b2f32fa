#!/bin/sh
# install.sh: what workflows.sh runs besides Slurm, as root: Debian's Snakemake, a Java that Nextflow 24.10 takes (it refuses 25:
# "Unsupported class file major version 69"), and Nextflow's jars from the Maven repository. What is not to be had is left out, and
# said by workflows.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
export DEBIAN_FRONTEND=noninteractive
apt-get -q -o DPkg::Lock::Timeout=600 -y --no-install-recommends install snakemake openjdk-17-jre-headless python3 perl-base
[ -s "$here/nextflow/target/lib/nextflow-24.10.0.jar" ] || mvn -q -B -f "$here/nextflow/pom.xml" dependency:copy-dependencies -DoutputDirectory="$here/nextflow/target/lib"
exit 0
