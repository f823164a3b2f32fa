package org.spillway.scaler.policyhost;

import java.util.List;
import java.util.Map;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Wish;

/** Messages between head and child. The head asks, the child answers with the same id. */
final class Wire {
    /** Of these records; both sides come from one installation, so that another is a mistake and is refused. */
    static final int SCHEMA = 3;

    private Wire() {}

    record RequestFrame(int schema, long id, Request request) {}

    record AnswerFrame(int schema, long id, Answer answer) {}

    sealed interface Request {
        /**
         * Take this policy; the first question, and asked once.
         *
         * @param fileName its end says what the content is
         * @param content in base64
         * @param settings as the administrator wrote them, by the name of the policy that they are for, empty for any;
         *     another one gets its defaults
         * @param seeds random clusters to check it on
         * @param deadlineMillis for one decision in that check, once warm, of the policy's own time
         * @param patienceMillis of its own time, after which a question of the check counts as one without an end
         */
        record Load(
                String fileName,
                String content,
                Map<String, Map<String, String>> settings,
                int seeds,
                long deadlineMillis,
                long patienceMillis)
                implements Request {}

        /** @param deadlineMillis of the policy's own time, after which it is ended where it stands */
        record Decide(ClusterSnapshot snapshot, long deadlineMillis) implements Request {}
    }

    sealed interface Answer {
        record Loaded(String name, List<SettingDescription> settings) implements Answer {
            public Loaded {
                settings = List.copyOf(settings);
            }
        }

        /** The policy is not taken. */
        record Refused(List<Finding> findings) implements Answer {
            public Refused {
                findings = List.copyOf(findings);
            }
        }

        /** @param millis of its own time that the policy took */
        record Wishes(List<Wish> wishes, long millis) implements Answer {
            public Wishes {
                wishes = List.copyOf(wishes);
            }
        }

        /** The policy was not done at its deadline, and its process ends; the text says where it was. */
        record Stuck(String where) implements Answer {}

        /** The policy gave no answer and can be asked again. */
        record Threw(String message) implements Answer {}
    }
}
