package org.spillway.cloud.local;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** A site of a driver that makes one mistake, as somebody's next driver may. */
final class MistakenSite {
    private static final AtomicInteger TOKENS = new AtomicInteger();
    private static final int FEW = 10;
    private static final int SHORT = 32;
    private static final Duration BOOT = Duration.ofSeconds(30);

    private MistakenSite() {}

    /** Mistakes that are near when a driver is written. */
    enum Mistake {
        NONE_MEANS_ALL,
        A_BAD_ID_FAILS_ALL,
        TWICE_IS_WRONG,
        NOT_WHILE_IT_BOOTS,
        FEW_AT_A_TIME,
        ONE_ANSWER_FOR_ALL,
        FIRST_OF_A_SET_ONLY,
        LAST_OF_A_SET_FIRST,
        ASKS_ON_WHATEVER_WAS_SAID,
        A_NEW_TOKEN_EACH_TIME,
        PLAIN_SHORT_TAGS,
        TAGS_COME_LATER,
        SHORT_INTENTS,
        LAUNCHED_WHEN_LISTED,
        ALL_IS_ON_DEMAND,
        A_CHECK_BUYS,
        A_CHECK_IS_SILENT,
        A_CHECK_TALKS,
        OFFERINGS_FLICKER,
        CLOSED_ONCE
    }

    static Site of(Site good, Mistake mistake) {
        Compute compute = new Wrong(good.compute(), mistake);
        AtomicInteger closed = new AtomicInteger();
        return (Site) Proxy.newProxyInstance(
                Site.class.getClassLoader(), new Class<?>[] {Site.class}, (self, method, given) -> {
                    if (method.getName().equals("compute")) {
                        return compute;
                    } else if (method.getName().equals("diagnostics")) {
                        return (Diagnostics) needs -> findings(good, needs, mistake);
                    } else if (method.getName().equals("close")
                            && mistake == Mistake.CLOSED_ONCE
                            && closed.incrementAndGet() > 1) {
                        throw new IllegalStateException("it is closed");
                    }
                    try {
                        return method.invoke(good, given);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private static List<Finding> findings(Site good, Diagnostics.Needs needs, Mistake mistake) {
        List<Finding> findings = new ArrayList<>(good.diagnostics().check(needs));
        if (mistake == Mistake.A_CHECK_BUYS) {
            OfferingId probe = new OfferingId("here", "a", "small", Market.ON_DEMAND);
            good.compute().launch(LaunchRequest.of("probe", 1, probe, 1));
        } else if (mistake == Mistake.A_CHECK_IS_SILENT) {
            findings.clear();
        } else if (mistake == Mistake.A_CHECK_TALKS) {
            findings.add(new Finding("trace", Verdict.WARNING, "first line\nat second line", ""));
        }
        return findings;
    }

    /** Calls with the mistake in them. */
    private static final class Wrong implements Compute {
        private final Compute good;
        private final Mistake mistake;
        private final Map<String, Instant> launched = new ConcurrentHashMap<>();
        private final Map<String, LaunchAnswer> answers = new ConcurrentHashMap<>();
        private final AtomicInteger calls = new AtomicInteger();

        Wrong(Compute good, Mistake mistake) {
            this.good = good;
            this.mistake = mistake;
        }

        private static CloudException refused() {
            return new CloudException(Reason.INVALID, "planted");
        }

        @Override
        public List<Offering> offerings() throws CloudException {
            List<Offering> all = good.offerings();
            return mistake == Mistake.OFFERINGS_FLICKER && calls.incrementAndGet() % 2 == 0
                    ? all.subList(1, all.size())
                    : all;
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            return switch (mistake) {
                case ONE_ANSWER_FOR_ALL -> answers.computeIfAbsent("", any -> good.launch(request));
                case FIRST_OF_A_SET_ONLY ->
                    good.launch(set(request, request.offerings().subList(0, 1)));
                case LAST_OF_A_SET_FIRST ->
                    good.launch(set(request, request.offerings().reversed()));
                case ASKS_ON_WHATEVER_WAS_SAID -> inTurn(request);
                case A_NEW_TOKEN_EACH_TIME -> good.launch(again(request, TOKENS.incrementAndGet()));
                case PLAIN_SHORT_TAGS -> good.launch(request.withTags(plain(request.tags())));
                case SHORT_INTENTS ->
                    request.intent().length() > SHORT
                            ? new LaunchAnswer(new LaunchOutcome.Refused(Reason.INVALID, "a long name"), List.of())
                            : good.launch(request);
                case ALL_IS_ON_DEMAND -> onDemand(good.launch(request));
                default -> remembered(good.launch(request));
            };
        }

        private LaunchAnswer remembered(LaunchAnswer answer) {
            answer.instances().forEach(each -> launched.put(each.id(), Instant.now()));
            return answer;
        }

        private static LaunchRequest set(LaunchRequest like, List<OfferingId> offerings) {
            return new LaunchRequest(
                    like.intent(),
                    like.attempt(),
                    offerings.getFirst(),
                    like.count(),
                    like.image(),
                    like.userData(),
                    like.tags(),
                    offerings.subList(1, offerings.size()),
                    like.placement());
        }

        private static LaunchRequest again(LaunchRequest like, int attempt) {
            LaunchRequest other = LaunchRequest.of(like.intent(), attempt, like.offering(), like.count());
            return set(other.withTags(like.tags()), like.offerings());
        }

        private LaunchAnswer inTurn(LaunchRequest request) {
            LaunchAnswer answer = good.launch(set(request, request.offerings().subList(0, 1)));
            for (OfferingId other : request.alternatives()) {
                if (answer.outcome() instanceof LaunchOutcome.Refused) {
                    answer = good.launch(set(request, List.of(other)));
                }
            }
            return answer;
        }

        private static Map<String, String> plain(Map<String, String> tags) {
            Map<String, String> all = new HashMap<>();
            tags.forEach((name, value) -> {
                String plain = value.replaceAll("[^A-Za-z0-9._-]", "_");
                all.put(name, plain.substring(0, Math.min(plain.length(), 63)));
            });
            return all;
        }

        private static LaunchAnswer onDemand(LaunchAnswer answer) {
            return new LaunchAnswer(
                    answer.outcome(),
                    answer.instances().stream()
                            .map(each -> Instance.of(
                                    each.id(),
                                    new OfferingId(
                                            each.offering().site(),
                                            each.offering().zone(),
                                            each.offering().instanceType(),
                                            Market.ON_DEMAND),
                                    each.state(),
                                    each.launchedAt(),
                                    each.tags()))
                            .toList());
        }

        @Override
        public void terminate(Collection<String> instanceIds) throws CloudException {
            boolean wrong = switch (mistake) {
                case A_BAD_ID_FAILS_ALL -> instanceIds.contains("i-zzzz");
                case TWICE_IS_WRONG -> new HashSet<>(instanceIds).size() < instanceIds.size();
                case FEW_AT_A_TIME -> instanceIds.size() > FEW;
                case NOT_WHILE_IT_BOOTS ->
                    instanceIds.stream()
                            .map(id -> launched.getOrDefault(id, Instant.EPOCH))
                            .anyMatch(at -> at.plus(BOOT).isAfter(Instant.now()));
                default -> false;
            };
            if (wrong) {
                throw refused();
            }
            good.terminate(
                    instanceIds.isEmpty() && mistake == Mistake.NONE_MEANS_ALL
                            ? good.list().stream().map(Instance::id).toList()
                            : instanceIds);
        }

        @Override
        public List<Instance> list() throws CloudException {
            return good.list().stream().map(this::shown).toList();
        }

        private Instance shown(Instance each) {
            if (mistake == Mistake.TAGS_COME_LATER) {
                Map<String, String> tags = new HashMap<>(each.tags());
                tags.remove(Instance.TAG_OWNER);
                return Instance.of(each.id(), each.offering(), each.state(), each.launchedAt(), tags);
            } else if (mistake == Mistake.LAUNCHED_WHEN_LISTED) {
                return Instance.of(each.id(), each.offering(), each.state(), Instant.now(), each.tags());
            }
            return each;
        }

        @Override
        public Optional<Lookup> lookup() {
            Lookup whole = good.lookup().orElseThrow();
            return Optional.of(ids -> {
                boolean bad = mistake == Mistake.A_BAD_ID_FAILS_ALL && ids.contains("i-zzzz");
                if (bad || (mistake == Mistake.FEW_AT_A_TIME && ids.size() > FEW)) {
                    throw refused();
                }
                return whole.look(ids);
            });
        }

        @Override
        public Duration consistencyWindow() {
            return good.consistencyWindow();
        }
    }
}
