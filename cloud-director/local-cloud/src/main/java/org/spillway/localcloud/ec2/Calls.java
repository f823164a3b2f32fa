package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.spillway.localcloud.ApiError;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;

/** Every action by its name. */
final class Calls {
    private final Map<String, Call> byName = new HashMap<>();
    private final LaunchPlan.Reader plans;

    Calls(CloudBehind cloud, Things things) {
        this.plans = new LaunchPlan.Reader(cloud, things);
        Belongings belongings = new Belongings(cloud, things);
        new Launches(cloud, things).addTo(byName);
        new Instances(cloud, things).addTo(byName);
        new Catalogue(cloud, things).addTo(byName);
        new Network(cloud, things, belongings).addTo(byName);
        new Gateways(things).addTo(byName);
        new Endpoints(things).addTo(byName);
        new Groups(things, belongings).addTo(byName);
        new Stock(cloud, things, belongings).addTo(byName);
        new Disks(cloud, things, belongings).addTo(byName);
        new Tags(cloud, things, belongings).addTo(byName);
    }

    Call named(String action) throws Ec2Error {
        Call call = byName.get(action);
        if (call == null) {
            throw new Ec2Error("InvalidAction", "The action " + action + " is not valid for this web service.");
        }
        return call;
    }

    /** A dry run names wrong parameters of a launch, like the launch itself. */
    void checkDry(String action, Query query) throws Ec2Error {
        if (action.equals("RunInstances")) {
            plans.read(query, query.get("InstanceMarketOptions.MarketType"));
        }
    }

    /** Does one action and writes what stands in its answer. */
    interface Call {
        void answer(Query query, Xml out, Context context) throws Ec2Error, ApiError, IOException;
    }

    /** Notes about a call beside its answer. */
    static final class Context {
        private String note = "";
        private Optional<Fault> fault = Optional.empty();

        void note(String text) {
            note = text;
        }

        /** Bad luck for the answer. */
        void struck(Optional<Fault> by) {
            fault = by;
        }

        String note() {
            return note;
        }

        Optional<Fault> fault() {
            return fault;
        }
    }
}
