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

    /** @throws SiteSettings.Invalid also when nothing could ever be offered: Amazon's prices are in dollars */
    @Override
    public Site open(SiteSettings settings) {
        if (!settings.isInDollars() && settings.prices().isEmpty()) {
            throw new SiteSettings.Invalid(
                    "prices",
                    "missing; the budget is in " + settings.currency()
                            + ", EC2's prices are in USD: give the prices of this site's types in "
                            + settings.currency() + ", or set 'currency: USD' for the head");
        }
        return new AwsSite(settings, AwsSettings.from(settings));
    }
}
