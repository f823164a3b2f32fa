package org.spillway.cloud.aws;

import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;

/** Amazon EC2, or whatever speaks its API. The options stand at {@link AwsSettings}. */
public final class AwsDriver implements CloudDriver {
    @Override
    public String name() {
        return "aws";
    }

    @Override
    public Site open(SiteSettings settings) {
        return new AwsSite(settings, AwsSettings.from(settings));
    }
}
