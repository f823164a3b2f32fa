package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.DriftView;
import org.spillway.api.RolloutOrder;
import org.spillway.api.RolloutView;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.RolloutCause.Order;
import org.spillway.head.cause.RolloutCause.Ordered;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.RolloutRecord;
import org.spillway.head.loop.Change;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.RolloutsApi;
import org.spillway.head.rollout.Rollout;
import org.spillway.head.rollout.Terms;
import org.spillway.head.rollout.Version;
import org.spillway.image.store.Reference;
import org.spillway.image.store.Seal;
import org.spillway.image.store.VersionRecord;
import org.spillway.image.store.VersionStore;
import org.spillway.image.tree.RootNeeds;

/** Orders of administrators for rollouts; the loop does the rest. */
final class RolloutDesk implements RolloutsApi {
    private static final String STATUS = "'spillway image rollout status' shows how it is";

    private final HeadConfig config;
    private final Journal journal;
    private final LoopRunner runner;
    private final Store store;
    private final RolloutViews views;
    private final DriftDesk drifts;

    /** @param folder of versions */
    record Store(Path folder, Seal seal) {}

    /** @param made whether a version is there as a file system */
    RolloutDesk(
            HeadConfig config,
            Journal journal,
            LoopRunner runner,
            Store store,
            Predicate<Version> made,
            DriftDesk drifts) {
        this.config = config;
        this.journal = journal;
        this.runner = runner;
        this.store = store;
        this.drifts = drifts;
        this.views = new RolloutViews(journal, made);
    }

    @Override
    public List<RolloutView> list() {
        Instant now = runner.ask(at -> at);
        return journal.rollouts().stream()
                .filter(record -> terms(record.category()).isPresent())
                .map(record -> views.of(record, now))
                .toList();
    }

    @Override
    public DriftView drift(String node, String look, boolean whole) {
        return drifts.of(node, look, whole);
    }

    private Optional<Terms> terms(String category) {
        return Optional.ofNullable(config.roles().categories().get(category)).flatMap(HeadConfig.Category::rollout);
    }

    @Override
    public RolloutView begin(Caller caller, String category, RolloutOrder order) {
        Terms terms = terms(order, usual(category));
        Version to = version(order.version());
        return changed(category, (record, now) -> {
            Rollout under = record.rollout();
            if (under != null && !under.isOver()) {
                if (under.isForward() && under.to().equals(to)) {
                    return record;
                }
                throw new ApiException(
                        Code.CONFLICT,
                        "a rollout of " + under.to().brief() + " is under way in category " + category,
                        "abort it, or wait for its end: " + STATUS);
            }
            return record.settled().equals(to)
                    ? record
                    : record.with(Rollout.begin(record.settled(), to, terms, ordered(Order.BEGIN, caller), now));
        });
    }

    private Terms usual(String category) {
        return terms(category)
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND,
                        "no category '" + category + "' names a version",
                        "categories.NAME.image.version of the configuration does"));
    }

    private static Terms terms(RolloutOrder order, Terms usual) {
        if (order.withinSeconds() >= 0 && order.withinSeconds() < Terms.LEAST_WITHIN) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "withinSeconds: found " + order.withinSeconds(),
                    "allowed: " + Terms.LEAST_WITHIN + " to " + Terms.LONGEST_WITHIN);
        }
        return Terms.of(
                order.canary() < 0 ? usual.canary() : order.canary(),
                order.batch().isEmpty() ? usual.batchText() : order.batch(),
                order.soakSeconds() < 0 ? usual.soakSeconds() : order.soakSeconds(),
                order.withinSeconds() < 0 ? usual.withinSeconds() : order.withinSeconds(),
                order.maxFailures() < 0 ? usual.maxFailures() : order.maxFailures());
    }

    private Version version(String text) {
        try (VersionStore versions = VersionStore.open(store.folder(), store.seal())) {
            VersionRecord found = versions.find(Reference.parse(text));
            Optional<String> lack = RootNeeds.lack(versions.manifest(found));
            if (lack.isPresent()) {
                throw new ApiException(
                        Code.BAD_REQUEST, text + " is no root for jobs: " + lack.get(), "build another version");
            }
            return new Version(found.name(), found.digest());
        } catch (IOException refused) {
            throw new ApiException(
                    Code.BAD_REQUEST, String.valueOf(refused.getMessage()), "'spillway image list' shows versions");
        }
    }

    @Override
    public RolloutView change(Caller caller, String category, String action) {
        Order order = switch (action) {
            case "pause" -> Order.PAUSE;
            case "resume" -> Order.RESUME;
            case "abort" -> Order.ABORT;
            case "rollback" -> Order.ROLLBACK;
            default ->
                throw new ApiException(
                        Code.BAD_REQUEST, "action: found '" + action + "'", "allowed: pause, resume, abort, rollback");
        };
        usual(category);
        return changed(category, (record, now) -> changed(record, order, ordered(order, caller), now));
    }

    static RolloutRecord changed(RolloutRecord record, Order order, Cause why, Instant now) {
        Rollout rollout = record.rollout();
        boolean underWay = rollout != null && !rollout.isOver();
        return switch (order) {
            case BEGIN -> record;
            case PAUSE, RESUME -> {
                if (rollout == null || !rollout.isForward()) {
                    throw nothing(record);
                }
                boolean stops = order == Order.PAUSE;
                yield rollout.paused() == stops ? record : record.with(rollout.paused(stops, why));
            }
            case ABORT -> {
                if (rollout == null || !underWay) {
                    throw nothing(record);
                }
                yield record.with(rollout.back(why, now));
            }
            case ROLLBACK -> {
                if (rollout != null && underWay) {
                    yield record.with(rollout.back(why, now));
                }
                if (rollout == null || record.former().isNone()) {
                    throw new ApiException(
                            Code.CONFLICT,
                            "category " + record.category() + " has had no version before "
                                    + record.settled().brief(),
                            "'spillway image rollout start' gives it another");
                }
                yield record.with(Rollout.begin(
                        record.settled(), record.former(), rollout.terms().back(), why, now));
            }
        };
    }

    private static ApiException nothing(RolloutRecord record) {
        return new ApiException(
                Code.CONFLICT,
                "category " + record.category() + " has no rollout for which that could be done",
                STATUS);
    }

    private static Cause ordered(Order order, Caller caller) {
        return new Ordered(order, caller.user());
    }

    /** A change of a category's record; the same again changes nothing. */
    private interface Step {
        RolloutRecord of(RolloutRecord record, Instant now);
    }

    private RolloutView changed(String category, Step step) {
        RolloutRecord record = runner.change("rollout " + category, now -> {
            RolloutRecord before = journal.rollout(category)
                    .orElseThrow(() -> new ApiException(
                            Code.CONFLICT,
                            "the version that category " + category + " names is not there yet as a file system",
                            "the head makes it, and its log says when or why not"));
            RolloutRecord next = step.of(before, now);
            return next.equals(before) ? Change.none(before) : new Change<>(List.of(next), next);
        });
        return views.of(record, runner.ask(now -> now));
    }
}
