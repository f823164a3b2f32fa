#!/bin/sh
# Inputs from a bucket, beside s3proxy: fetches it once, then runs the test that starts it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lib=${SPILLWAY_LAB_S3:-$here/target/lib}
if [ ! -d "$lib" ]; then
  mvn -B -q -f "$here/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies \
    -DoutputDirectory="$lib.new"
  mv "$lib.new" "$lib"
fi
cd "$here/../.."
SPILLWAY_LAB_S3=$lib exec mvn -B -o -Dspotless.check.skip=true verify -pl data-stager/tests -am -Dtest=BucketTest \
  -Dsurefire.failIfNoSpecifiedTests=false "$@"
