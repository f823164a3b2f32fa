package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.FrontReply;

/** Microversions, as "API Versions" of the Compute API has them; the words of a refusal are nova's InvalidGlobalAPIVersion. */
final class NovaVersions {
    /** As this front speaks it. */
    private static final int LEAST = 61;

    private static final int ZED = 93;
    private static final int ROCKY = 65;
    private static final int QUEENS = 60;
    private static final Pattern HEADER = Pattern.compile("compute 2\\.([1-9][0-9]{0,3})");

    private NovaVersions() {}

    private static int most(CloudBehind cloud) {
        return NovaBroken.NOVA_QUEENS.is(cloud) ? QUEENS : NovaBroken.NOVA_ROCKY.is(cloud) ? ROCKY : ZED;
    }

    /** {@code GET /v2.1/}. */
    static FrontReply document(CloudBehind cloud) {
        ObjectNode body = Said.object();
        body.putObject("version")
                .put("id", "v2.1")
                .put("status", "CURRENT")
                .put("version", "2." + most(cloud))
                .put("min_version", "2.1")
                .put("updated", "2013-07-23T11:33:21Z")
                .putArray("links");
        return Said.json(200, body, "versions");
    }

    /** The minor version that a request asks for. */
    static int asked(CloudBehind cloud, String header) throws Said.No {
        Matcher matcher = HEADER.matcher(header);
        int minor = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
        if (minor < 1 || minor > most(cloud)) {
            throw new Said.No(
                    406,
                    "Version " + header.replace("compute ", "")
                            + " is not supported by the API. Minimum is 2.1 and maximum is 2." + most(cloud) + ".");
        }
        if (minor < LEAST) {
            throw new Said.No(406, "Version '" + header + "' is not spoken here: 2." + LEAST + " and later are.");
        }
        return minor;
    }
}
