package org.spillway.director;

import java.io.IOException;
import java.time.InstantSource;
import java.util.UUID;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;

/** What the head may ask: {@code POST /v1/sync}. */
final class HeadSide {
    private final String site;
    private final String boot = UUID.randomUUID().toString();
    private final SiteState state;
    private final JoinDesk joins;
    private final StagingSpace staging;
    private final IdentitySource identities;
    private final InstantSource steady;

    HeadSide(
            String site,
            SiteState state,
            JoinDesk joins,
            StagingSpace staging,
            IdentitySource identities,
            InstantSource steady) {
        this.site = site;
        this.state = state;
        this.joins = joins;
        this.staging = staging;
        this.identities = identities;
        this.steady = steady;
    }

    Answer answer(Request request) throws IOException {
        if (!request.path().equals("/v1/sync") || !request.method().equals("POST")) {
            return Answer.error(404, "the head may only POST /v1/sync");
        }
        Directive directive;
        try {
            directive = WireJson.readDirective(request.body(WireJson.MAX_BYTES));
        } catch (WireJson.Malformed e) {
            return Answer.error(400, String.valueOf(e.getMessage()));
        }
        if (directive.schema() != Directive.SCHEMA) {
            return Answer.error(
                    400,
                    "schema " + directive.schema() + " is not known here; this director speaks " + Directive.SCHEMA);
        }
        if (!directive.site().equals(site)) {
            return Answer.error(409, "this director serves site '" + site + "', not '" + directive.site() + "'");
        }
        state.accept(directive, steady.instant());
        Directive current = state.directive().orElse(directive);
        identities.follow(current.directory());
        return new Answer.Text(200, WireJson.write(report(current.sequence())));
    }

    private Report report(long sequence) throws IOException {
        return new Report(
                Directive.SCHEMA,
                version(),
                boot,
                staging.id(),
                sequence,
                joins.requests(),
                state.nodeReports(steady.instant()),
                state.jobReports(),
                staging.images(),
                identities.report(),
                staging.freeBytes());
    }

    private static String version() {
        String version = HeadSide.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
