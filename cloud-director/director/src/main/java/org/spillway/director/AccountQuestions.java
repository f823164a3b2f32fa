package org.spillway.director;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.SiteAccounts;
import org.spillway.director.wire.SiteAccounts.Account;
import org.spillway.director.wire.SiteAccounts.Word;

/** The head's questions for logins, each put to one node, and the nodes' words. In memory, for seconds. */
final class AccountQuestions {
    private static final int MOST = 50;
    private static final Duration KEPT = Duration.ofSeconds(15);
    private final Map<String, Question> open = new LinkedHashMap<>();
    private long number;

    private record Question(
            long number, String node, Instant at, @Nullable AccountText said) {}

    /**
     * The answer as far as there is one; the first time, and when an answer has grown old, the node is asked.
     *
     * @param node to ask; null where none is ready
     * @param now by the clock that never jumps
     */
    synchronized SiteAccounts ask(String login, @Nullable Account copy, @Nullable String node, Instant now) {
        open.values().removeIf(question -> now.isAfter(question.at().plus(KEPT)));
        Question question = open.get(login);
        if (question == null && node != null && open.size() < MOST) {
            question = new Question(++number, node, now, null);
            open.put(login, question);
        }
        if (question == null) {
            return new SiteAccounts(copy, "", Word.NO_NODE, null);
        }
        AccountText said = question.said();
        return said == null
                ? new SiteAccounts(copy, question.node(), Word.ASKED, null)
                : new SiteAccounts(copy, question.node(), said.word(), said.account());
    }

    /** Logins that a node is asked for and has not answered. */
    synchronized List<String> of(String node) {
        return open.entrySet().stream()
                .filter(one -> isOpen(one.getValue(), node))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The line of its orders that tells a node, with its end; empty where it is asked nothing. */
    synchronized String line(String node) {
        return open.values().stream()
                .filter(question -> isOpen(question, node))
                .reduce((earlier, later) -> later)
                .map(question -> "account " + question.number() + "\n")
                .orElse("");
    }

    /** A node's word; another node's, and one that nobody waits for, is dropped. */
    synchronized void heard(String node, String login, AccountText said, Instant now) {
        open.computeIfPresent(
                login,
                (name, question) ->
                        isOpen(question, node) ? new Question(question.number(), node, now, said) : question);
    }

    private static boolean isOpen(Question question, String node) {
        return question.said() == null && question.node().equals(node);
    }
}
