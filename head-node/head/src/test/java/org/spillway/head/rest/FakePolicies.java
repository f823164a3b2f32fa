package org.spillway.head.rest;

import java.util.ArrayList;
import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.PoliciesView;
import org.spillway.api.PolicyDetail;
import org.spillway.api.PolicyView;
import org.spillway.api.TickView;

/** Three policies, of which one is built in; it keeps what it is told. */
public final class FakePolicies implements PolicyApi {
    private static final String DIGEST = "3f2a9c1b77d0".repeat(5) + "3f2a";
    public final List<String> changes = new ArrayList<>();

    @Override
    public PoliciesView policies() {
        return new PoliciesView(
                "queue-depth",
                "night",
                "policy night did not answer within 100 ms, and was ended (failure 1 of 3); queue-depth decides",
                "runs as nobody, without network, in a process namespace of its own, with no folder but its own",
                "/etc/spillway/policies.d",
                List.of(
                        new PolicyView("queue-depth", "deciding", "", "", null, 0, ""),
                        night(),
                        new PolicyView(
                                "Day.java",
                                "refused",
                                "Day.java",
                                "",
                                null,
                                0,
                                "Day.java:12:9: cannot find symbol; symbol: variable wishs; location: class Day")),
                new TickView(100, 812, 2140, 9003, 251));
    }

    private static PolicyView night() {
        return new PolicyView(
                "night",
                "starting",
                "Night.java",
                DIGEST,
                FakeHead.NOON.minusSeconds(3600),
                1,
                "did not answer within 100 ms, and was ended");
    }

    @Override
    public PolicyDetail policy(String name) {
        if (!name.equals("night")) {
            throw new ApiException(
                    Code.NOT_FOUND,
                    "there is no policy '" + name + "'; 'spillway policy list' shows those that are",
                    "");
        }
        return new PolicyDetail(
                night(),
                List.of("did not answer within 100 ms, and was ended"),
                List.of(
                        new PolicyDetail.SettingView(
                                "idleTime", "a length of time such as 60s", "300s", "how long a node may idle"),
                        new PolicyDetail.SettingView("most", "a whole number", "10", "")),
                List.of(
                        new PolicyDetail.VersionView(
                                "aa11bb22cc33" + DIGEST.substring(12),
                                true,
                                FakeHead.NOON.minusSeconds(7200),
                                FakeHead.NOON.minusSeconds(3600),
                                "replaced by 3f2a9c1b77d0",
                                0),
                        new PolicyDetail.VersionView(
                                "bb11bb22cc33" + DIGEST.substring(12),
                                false,
                                FakeHead.NOON.minusSeconds(5400),
                                FakeHead.NOON.minusSeconds(5400),
                                "Night.java:7:1: class, interface, enum, or record expected",
                                0),
                        new PolicyDetail.VersionView(DIGEST, true, FakeHead.NOON.minusSeconds(3600), null, "", 1)));
    }

    @Override
    public PolicyDetail change(Caller caller, String name, String action) {
        changes.add(action + " " + name);
        return policy(name);
    }
}
