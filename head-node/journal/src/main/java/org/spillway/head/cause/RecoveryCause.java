package org.spillway.head.cause;

/** Why a machine that no node of the journal owns is kept, adopted, ended or over, and why it cannot be adopted. */
public sealed interface RecoveryCause extends Cause {
    /** A reason that needs no parameters. */
    enum RecoveryFact implements RecoveryCause {
        NOT_IN_JOURNAL("no node of the journal has it, and the journal does not know all of its past"),
        MACHINE_GONE("it is not listed any more"),
        OWNED_AFTER_ALL("a node of the journal has it"),
        NOTHING_UNKNOWN_LEFT("every site was listed, and nothing unknown is left"),
        NO_NODE("it is neither a node nor a director: keep it or end it"),
        LAUNCH_UNNAMED("its tags name no launch, so that nobody knows which node it is: keep it or end it"),
        STATE_FOREIGN("it was bought by another state: keep it or end it"),
        OFFERING_UNKNOWN("its site does not offer its type now: try again, keep it or end it"),
        NOT_RUNNING("it does not run: keep it or end it"),
        NUMBER_TAKEN("the journal has a node of its name: keep it or end it"),
        KEY_UNKNOWN("the secrets hold no key of that director: keep it or end it"),
        DIRECTOR_THERE("its site has a director already: keep it or end it"),
        NODE_UNHEARD("no director of the journal reports it: adopt its director first, keep it or end it"),
        NODE_UNCERTAIN(
                "several machines of its launch are unknown, and nothing says which node it is: keep it or end it");

        private final String sentence;

        RecoveryFact(String sentence) {
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    /** @param tag of the start of a head that this journal does not know */
    record BoughtElsewhere(String tag) implements RecoveryCause {}

    /** @param user an administrator */
    record ChosenBy(String user) implements RecoveryCause {}

    /** @param node that it became, by the choice of {@code user} */
    record AdoptedAs(String node, String user) implements RecoveryCause {}

    static String text(RecoveryCause cause) {
        return switch (cause) {
            case RecoveryFact fact -> fact.sentence();
            case BoughtElsewhere(String tag) ->
                "it was bought by a head of which the journal knows nothing (" + tag + ")";
            case ChosenBy(String user) -> "chosen by " + user;
            case AdoptedAs(String node, String user) -> "adopted as " + node + " by " + user;
        };
    }
}
