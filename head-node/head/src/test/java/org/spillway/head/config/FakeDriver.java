package org.spillway.head.config;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Power;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;

/** Knows some keys and opens nothing. */
public final class FakeDriver implements CloudDriver {
    private static final List<String> KEYS = List.of("state", "port", "tokenFile", "subnets", "groups");

    @Override
    public String name() {
        return "local";
    }

    @Override
    public Site open(SiteSettings settings) {
        for (var option : settings.options().entrySet()) {
            if (!KEYS.contains(option.getKey())) {
                throw new SiteSettings.Invalid(option.getKey(), "unknown option; allowed: " + String.join(", ", KEYS));
            }
        }
        if (settings.options().getOrDefault("tokenFile", "").endsWith("/open-token")) {
            throw new SiteSettings.Invalid("tokenFile", "found a file that others may read; allowed: mode 600");
        }
        if (settings.options().getOrDefault("port", "1").equals("0")) {
            throw new SiteSettings.Invalid("port", "found '0'; allowed: 1 to 65535");
        }
        boolean powers = settings.options().getOrDefault("state", "").endsWith("/powered");
        return (Site) java.lang.reflect.Proxy.newProxyInstance(
                Site.class.getClassLoader(),
                new Class<?>[] {Site.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "power" -> powers ? Optional.of(new NoPower()) : Optional.empty();
                    default -> null;
                });
    }

    private static final class NoPower implements Power {
        @Override
        public void stop(Collection<String> ids) {}

        @Override
        public void start(Collection<String> ids) {}
    }
}
