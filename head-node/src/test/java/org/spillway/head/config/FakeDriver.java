package org.spillway.head.config;

import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;

/** Knows two keys and opens nothing. */
final class FakeDriver implements CloudDriver {
    @Override
    public String name() {
        return "local";
    }

    @Override
    public Site open(SiteSettings settings) {
        for (var option : settings.options().entrySet()) {
            if (!option.getKey().equals("state") && !option.getKey().equals("port")) {
                throw new SiteSettings.Invalid(option.getKey(), "unknown option; allowed: state, port");
            }
        }
        if (settings.options().getOrDefault("port", "1").equals("0")) {
            throw new SiteSettings.Invalid("port", "found '0'; allowed: 1 to 65535");
        }
        return (Site) java.lang.reflect.Proxy.newProxyInstance(
                Site.class.getClassLoader(), new Class<?>[] {Site.class}, (proxy, method, arguments) -> null);
    }
}
